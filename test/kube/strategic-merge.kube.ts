import type { Transport } from "@capstan/env";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StrategicMergeError } from "../../packages/apiserver/src/patch/strategic-error.ts";
import { strategicMergePatch } from "../../packages/apiserver/src/patch/strategic-merge.ts";
import { mergeSchemaOf } from "../../packages/apiserver/src/patch/strategic-schema.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

type Fields = Readonly<Record<string, unknown>>;

let plane: ControlPlane;
let transport: Transport;

interface Target {
  readonly path: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

const target = (kind: string, path: string, group = ""): Target => ({
  kind: { group, version: "v1", kind },
  path: `${group === "" ? "/api/v1" : `/apis/${group}/v1`}${path}`,
});

const deployment = target("Deployment", "/namespaces/default/deployments/d", "apps");
const service = target("Service", "/namespaces/default/services/s");
const account = target("ServiceAccount", "/namespaces/default/serviceaccounts/a");
const configMap = target("ConfigMap", "/namespaces/default/configmaps/c");
const pod = target("Pod", "/namespaces/default/pods/p");
const node = target("Node", "/nodes/n");
const budget = target("PodDisruptionBudget", "/namespaces/default/poddisruptionbudgets/b", "policy");
const status = (of: Target): Target => ({ ...of, path: `${of.path}/status` });

const labels = { app: "d" };
const UID = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;
const owner = (digit: number): Fields => ({
  apiVersion: "v1",
  kind: "Node",
  name: `o${digit}`,
  uid: UID(digit),
});
const TIME = "2026-01-02T03:04:05Z";
const condition = (type: string): Fields => ({
  type,
  status: "True",
  reason: "R",
  message: "m",
  lastTransitionTime: TIME,
});

const podSpec = {
  containers: [
    {
      name: "main",
      image: "i:1",
      args: ["a", "b"],
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
        { name: "C", value: "3" },
      ],
      ports: [{ containerPort: 80, name: "http" }, { containerPort: 443 }],
      resources: { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "2" } },
      volumeMounts: [
        { name: "v", mountPath: "/v" },
        { name: "w", mountPath: "/w" },
      ],
      livenessProbe: { httpGet: { port: 80, path: "/" }, periodSeconds: 7 },
    },
    { name: "side", image: "s:1" },
  ],
  volumes: [
    { name: "v", emptyDir: { medium: "Memory" } },
    { name: "w", configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
  ],
  tolerations: [
    { key: "a", operator: "Exists" },
    { key: "b", operator: "Exists" },
  ],
  hostAliases: [
    { ip: "1.2.3.4", hostnames: ["x"] },
    { ip: "1.2.3.5", hostnames: ["y"] },
  ],
  imagePullSecrets: [{ name: "s1" }, { name: "s2" }],
  nodeSelector: { disk: "ssd", zone: "1" },
};

const OBJECTS: readonly (readonly [Target, Fields])[] = [
  [
    deployment,
    {
      metadata: { labels, annotations: { a: "1", b: "2" }, finalizers: ["x.dev/1", "x.dev/2", "x.dev/3"] },
      spec: {
        replicas: 0,
        paused: true,
        selector: { matchLabels: labels },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: { metadata: { labels }, spec: podSpec },
      },
    },
  ],
  [
    service,
    {
      spec: {
        selector: labels,
        ports: [
          { name: "a", port: 80, targetPort: 8080 },
          { name: "b", port: 443, targetPort: "https" },
          { name: "c", port: 53, protocol: "UDP" },
        ],
        externalIPs: ["1.2.3.4", "1.2.3.5"],
      },
    },
  ],
  [account, { secrets: [{ name: "x" }, { name: "y" }], imagePullSecrets: [{ name: "p" }] }],
  [
    configMap,
    { metadata: { labels: { a: "1", b: "2" } }, data: { a: "1", b: "2" }, binaryData: { c: "AP8=" } },
  ],
  [pod, { metadata: { labels, finalizers: ["x.dev/1"] }, spec: podSpec }],
  [
    node,
    {
      metadata: { labels: { zone: "1" } },
      spec: {
        podCIDR: "10.1.0.0/24",
        podCIDRs: ["10.1.0.0/24"],
        taints: [
          { key: "a", effect: "NoSchedule" },
          { key: "b", effect: "NoExecute" },
        ],
      },
      status: {
        addresses: [
          { type: "InternalIP", address: "1.2.3.4" },
          { type: "Hostname", address: "n" },
        ],
        conditions: [condition("Ready"), condition("DiskPressure")],
      },
    },
  ],
  [budget, { spec: { minAvailable: 1, selector: { matchLabels: { a: "1", b: "2" } } } }],
];

beforeAll(async () => {
  plane = await startControlPlane();
  transport = plane.connect();
  for (const [{ path, kind }, object] of OBJECTS) {
    const [collection, name] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
    const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
    const { metadata = {}, ...rest } = object;
    const body = { apiVersion, kind: kind.kind, metadata: { ...(metadata as Fields), name }, ...rest };
    expect(await send("POST", collection, body)).toMatchObject({ kind: kind.kind });
  }
});
afterAll(async () => {
  await transport.close();
  await plane.stop();
});

async function send(method: string, path: string, body?: Fields): Promise<Fields> {
  const type = method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json";
  const answer = await transport.request({ method, path, headers: { "content-type": type }, body });
  return (await answer.json()) as Fields;
}

/** What the server makes of the patch, and what it makes of our merge: both run through its defaults and its rules. */
async function compare(
  { path, kind }: Target,
  patch: Fields,
): Promise<{ theirs: unknown; ours: unknown; original: unknown }> {
  const schema = mergeSchemaOf(kind);
  if (!schema) throw new Error(`${kind.kind} has no merge schema`);
  for (;;) {
    const original = await send("GET", path);
    const theirs = await send("PATCH", `${path}?dryRun=All`, patch);
    const ours = await send(
      "PUT",
      `${path}?dryRun=All`,
      strategicMergePatch(original, patch, schema) as Fields,
    );
    // A controller may have written in between.
    if (version(await send("GET", path)) === version(original))
      return { theirs: comparable(theirs), ours: comparable(ours), original: comparable(original) };
  }
}

function version(object: Fields): unknown {
  return (object["metadata"] as Fields)["resourceVersion"];
}

/** Who wrote which field differs between a patch and a replacement. */
function comparable(answer: Fields): unknown {
  const { managedFields: _, ...metadata } = answer["metadata"] as Fields;
  return { ...answer, metadata };
}

const container = (...changes: readonly Fields[]): Fields => ({
  spec: { template: { spec: { containers: changes } } },
});
const main = (change: Fields): Fields => container({ name: "main", ...change });
const template = (spec: Fields): Fields => ({ spec: { template: { spec } } });

type Case = readonly [behaviour: string, target: Target, patch: Fields];

const CASES: readonly Case[] = [
  ["sets a field", deployment, { spec: { replicas: 3 } }],
  ["sets and deletes annotations", deployment, { metadata: { annotations: { a: null, c: "3" } } }],
  ["deletes a map", deployment, { metadata: { annotations: null } }],
  ["replaces a map", deployment, { metadata: { annotations: { $patch: "replace", z: "26" } } }],
  ["empties a map by directive", deployment, { metadata: { annotations: { $patch: "delete" } } }],
  ["changes one container", deployment, main({ image: "i:2" })],
  ["adds a container in front of the others", deployment, container({ name: "new", image: "n" })],
  [
    "adds and changes containers",
    deployment,
    container({ name: "new", image: "n" }, { name: "side", image: "s:2" }),
  ],
  ["deletes a container", deployment, container({ name: "side", $patch: "delete" })],
  ["deletes a container that is not there", deployment, container({ name: "nobody", $patch: "delete" })],
  ["replaces all containers", deployment, container({ $patch: "replace" }, { name: "only", image: "o" })],
  ["replaces a list of primitives", deployment, main({ args: ["c"] })],
  ["deletes a list", deployment, main({ args: null })],
  ["changes a variable", deployment, main({ env: [{ name: "B", value: "two" }] })],
  [
    "adds variables",
    deployment,
    main({
      env: [
        { name: "Z", value: "26" },
        { name: "Y", value: "25" },
      ],
    }),
  ],
  ["deletes a variable", deployment, main({ env: [{ name: "B", $patch: "delete" }] })],
  [
    "deletes the value of a variable",
    deployment,
    main({ env: [{ name: "B", value: null, valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
  ],
  ["replaces variables", deployment, main({ env: [{ $patch: "replace" }, { name: "Q", value: "q" }] })],
  ["empties variables", deployment, main({ env: [{ $patch: "replace" }] })],
  [
    "orders variables",
    deployment,
    main({ "$setElementOrder/env": [{ name: "C" }, { name: "A" }, { name: "B" }] }),
  ],
  [
    "orders variables and changes one",
    deployment,
    main({ "$setElementOrder/env": [{ name: "C" }, { name: "B" }], env: [{ name: "B", value: "x" }] }),
  ],
  [
    "orders variables with a new one in the middle",
    deployment,
    main({
      "$setElementOrder/env": [{ name: "A" }, { name: "N" }, { name: "C" }],
      env: [{ name: "N", value: "n" }],
    }),
  ],
  [
    "orders variables and deletes one",
    deployment,
    main({ "$setElementOrder/env": [{ name: "B" }, { name: "A" }], env: [{ name: "C", $patch: "delete" }] }),
  ],
  [
    "orders what kubectl apply orders",
    deployment,
    {
      spec: {
        template: {
          spec: {
            "$setElementOrder/containers": [{ name: "side" }, { name: "main" }],
            containers: [
              {
                name: "main",
                "$setElementOrder/env": [{ name: "B" }, { name: "A" }, { name: "C" }],
                image: "i:3",
              },
            ],
          },
        },
      },
    },
  ],
  ["adds a port by its number", deployment, main({ ports: [{ containerPort: 81 }] })],
  ["renames a port", deployment, main({ ports: [{ containerPort: 80, name: "web" }] })],
  [
    "mounts by path",
    deployment,
    main({
      volumeMounts: [
        { mountPath: "/w", name: "v" },
        { mountPath: "/x", name: "w" },
      ],
    }),
  ],
  [
    "merges resources",
    deployment,
    main({ resources: { requests: { cpu: null, memory: "2Gi" }, limits: { memory: "3Gi" } } }),
  ],
  ["replaces resources", deployment, main({ resources: { $patch: "replace", limits: { cpu: "1" } } })],
  ["merges a probe", deployment, main({ livenessProbe: { periodSeconds: 9 } })],
  [
    "changes the handler of a probe",
    deployment,
    main({ livenessProbe: { httpGet: null, tcpSocket: { port: 80 } } }),
  ],
  [
    "adds a probe with nulls in it",
    deployment,
    main({ readinessProbe: { httpGet: null, tcpSocket: { port: 80, host: null } } }),
  ],
  ["adds a volume", deployment, template({ volumes: [{ name: "z", emptyDir: {} }] })],
  [
    "changes the source of a volume by what it retains",
    deployment,
    template({ volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/tmp" } }] }),
  ],
  [
    "changes the source of a volume by null",
    deployment,
    template({ volumes: [{ name: "v", emptyDir: null, hostPath: { path: "/" } }] }),
  ],
  [
    "deletes a volume with its mount",
    deployment,
    template({
      volumes: [{ name: "v", $patch: "delete" }],
      containers: [{ name: "main", volumeMounts: [{ mountPath: "/v", $patch: "delete" }] }],
    }),
  ],
  [
    "replaces the items of a volume",
    deployment,
    template({ volumes: [{ name: "w", configMap: { items: [{ key: "q", path: "q" }] } }] }),
  ],
  [
    "retains what a strategy names",
    deployment,
    { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
  ],
  [
    "retains and merges",
    deployment,
    { spec: { strategy: { $retainKeys: ["type", "rollingUpdate"], rollingUpdate: { maxSurge: "50%" } } } },
  ],
  [
    "merges a strategy without directives",
    deployment,
    { spec: { strategy: { rollingUpdate: { maxUnavailable: "10%" } } } },
  ],
  [
    "fails as the server fails when a strategy is left half",
    deployment,
    { spec: { strategy: { type: "Recreate" } } },
  ],
  [
    "replaces tolerations, which have no key",
    deployment,
    template({ tolerations: [{ key: "z", operator: "Exists" }] }),
  ],
  [
    "merges aliases by address",
    deployment,
    template({
      hostAliases: [
        { ip: "1.2.3.5", hostnames: ["z"] },
        { ip: "9.9.9.9", hostnames: ["n"] },
      ],
    }),
  ],
  [
    "merges pull secrets by name",
    deployment,
    template({ imagePullSecrets: [{ name: "s3" }, { name: "s1", $patch: "delete" }] }),
  ],
  ["merges a node selector", deployment, template({ nodeSelector: { disk: null, arch: "arm64" } })],
  ["adds a finalizer", deployment, { metadata: { finalizers: ["x.dev/9"] } }],
  [
    "adds finalizers that are there in part",
    deployment,
    { metadata: { finalizers: ["x.dev/9", "x.dev/2", "x.dev/8"] } },
  ],
  ["deletes a finalizer", deployment, { metadata: { "$deleteFromPrimitiveList/finalizers": ["x.dev/2"] } }],
  [
    "deletes and adds finalizers",
    deployment,
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["x.dev/1"], finalizers: ["x.dev/7"] } },
  ],
  [
    "orders finalizers",
    deployment,
    { metadata: { "$setElementOrder/finalizers": ["x.dev/3", "x.dev/1", "x.dev/2"] } },
  ],
  [
    "orders, adds and deletes finalizers",
    deployment,
    {
      metadata: {
        "$setElementOrder/finalizers": ["x.dev/5", "x.dev/3"],
        "$deleteFromPrimitiveList/finalizers": ["x.dev/1"],
        finalizers: ["x.dev/5"],
      },
    },
  ],
  ["adds owners", deployment, { metadata: { ownerReferences: [owner(1), owner(2)] } }],
  [
    "takes no directives where nothing was",
    deployment,
    template({
      initContainers: [
        { name: "a", image: "i" },
        { name: "b", $patch: "delete" },
      ],
    }),
  ],
  [
    "keeps a new map without what only deletes",
    deployment,
    { spec: { template: { metadata: { annotations: { $patch: "delete" } } } } },
  ],
  [
    "takes a directive in a new item for a field it does not know",
    deployment,
    container({ name: "new", image: "n", env: [{ name: "E", value: "e", $patch: "delete" }] }),
  ],
  ["adds a port to a service", service, { spec: { ports: [{ port: 81, name: "d" }] } }],
  ["changes a port of a service", service, { spec: { ports: [{ port: 443, targetPort: 8443 }] } }],
  ["deletes a port of a service", service, { spec: { ports: [{ port: 53, $patch: "delete" }] } }],
  [
    "orders the ports of a service",
    service,
    {
      spec: { "$setElementOrder/ports": [{ port: 53 }, { port: 80 }], ports: [{ port: 80, name: "first" }] },
    },
  ],
  ["replaces addresses", service, { spec: { externalIPs: ["9.9.9.9"] } }],
  [
    "deletes from a list that a merge replaces",
    service,
    { spec: { "$deleteFromPrimitiveList/externalIPs": ["1.2.3.4"] } },
  ],
  [
    "orders a list that a merge replaces",
    service,
    { spec: { "$setElementOrder/externalIPs": ["1.2.3.5", "1.2.3.4"] } },
  ],
  ["replaces a selector", service, { spec: { selector: { $patch: "replace", x: "y" } } }],
  [
    "merges conditions of a service",
    status(service),
    { status: { conditions: [condition("Good"), condition("Bad")] } },
  ],
  ["adds a secret to an account", account, { secrets: [{ name: "z" }] }],
  ["deletes a secret of an account", account, { secrets: [{ name: "x", $patch: "delete" }] }],
  ["replaces the pull secrets of an account", account, { imagePullSecrets: [{ name: "q" }] }],
  ["sets a boolean", account, { automountServiceAccountToken: false }],
  ["merges data", configMap, { data: { a: null, e: "3" }, binaryData: { d: "AA==" } }],
  ["replaces data", configMap, { data: { $patch: "replace", z: "26" } }],
  ["retains keys of data", configMap, { data: { $retainKeys: ["b", "z"], z: "26" } }],
  [
    "deletes everything but what is required",
    configMap,
    { data: null, binaryData: null, metadata: { labels: null } },
  ],
  ["changes the image of a pod", pod, { spec: { containers: [{ name: "main", image: "i:9" }] } }],
  [
    "adds a toleration to a pod",
    pod,
    {
      spec: { tolerations: [...podSpec.tolerations, { key: "n", operator: "Exists", effect: "NoExecute" }] },
    },
  ],
  ["fails as the server fails for what cannot change", pod, { spec: { nodeSelector: { x: "y" } } }],
  [
    "sets conditions of a pod",
    status(pod),
    {
      status: {
        conditions: [{ type: "Ready", status: "False" }],
        podIPs: [{ ip: "10.0.0.1" }],
        podIP: "10.0.0.1",
      },
    },
  ],
  ["cordons a node", node, { spec: { unschedulable: true } }],
  ["taints a node", node, { spec: { taints: [{ key: "z", effect: "NoSchedule" }] } }],
  ["labels a node", node, { metadata: { labels: { zone: null, "node-role.kubernetes.io/worker": "" } } }],
  [
    "changes a condition of a node",
    status(node),
    { status: { conditions: [{ type: "DiskPressure", status: "False" }, condition("New")] } },
  ],
  [
    "orders the conditions of a node",
    status(node),
    { status: { "$setElementOrder/conditions": [{ type: "DiskPressure" }, { type: "Ready" }] } },
  ],
  [
    "adds an address to a node",
    status(node),
    {
      status: {
        addresses: [
          { type: "ExternalIP", address: "9.9.9.9" },
          { type: "Hostname", address: "m" },
        ],
      },
    },
  ],
  [
    "replaces the selector of a budget as a whole",
    budget,
    { spec: { selector: { matchLabels: { c: "3" } } } },
  ],
  ["changes the form of a value", budget, { spec: { minAvailable: "50%" } }],
];

describe("a strategic merge patch does what a real kube-apiserver does with it:", () => {
  test.each(CASES)("%s", async (behaviour, on, patch) => {
    const { theirs, ours } = await compare(on, patch);
    expect(theirs).toMatchObject({ kind: behaviour.startsWith("fails") ? "Status" : on.kind.kind });
    expect(ours).toStrictEqual(theirs);
  });

  test("patches that nobody thought of", async () => {
    let changed = 0;
    for (const patch of fc.sample(anyPatch(), { numRuns: 60, seed: 20_260_102 })) {
      const { theirs, ours, original } = await compare(deployment, patch);
      expect(ours, JSON.stringify(patch)).toStrictEqual(theirs);
      if (JSON.stringify(theirs) !== JSON.stringify(original)) changed += 1;
    }
    expect(changed).toBeGreaterThan(40);
  });
});

/** Patches of variables, volumes and finalizers that exist or do not, with orders that fit and directives. */
function anyPatch(): fc.Arbitrary<Fields> {
  const names = fc.uniqueArray(fc.constantFrom("A", "B", "C", "D", "E"), { maxLength: 5 });
  const fates = fc.array(fc.constantFrom("change", "delete", "none"), { minLength: 5, maxLength: 5 });
  const env = fc.tuple(names, fates, fc.boolean()).map(([order, fate, isOrdered]) => {
    const items = order.map((name, index) => ({ name, fate: fate[index] }));
    const change = items
      .filter((item) => item.fate !== "none")
      .map(({ name, fate: what }) =>
        what === "delete" ? { name, $patch: "delete" } : { name, value: `new ${name}` },
      );
    const desired = items.filter((item) => item.fate !== "delete").map(({ name }) => ({ name }));
    return { env: change, ...(isOrdered && { "$setElementOrder/env": desired }) };
  });
  const finalizer = fc.constantFrom("x.dev/1", "x.dev/2", "x.dev/3", "x.dev/4", "x.dev/5");
  const finalizers = fc.uniqueArray(finalizer, { maxLength: 4 }).chain((all) =>
    fc.nat(4).map((count) => ({
      finalizers: all.slice(0, count),
      "$deleteFromPrimitiveList/finalizers": all.slice(count),
    })),
  );
  const labelled = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom(null, "x", ""));
  return fc.tuple(env, finalizers, labelled).map(([change, metadata, annotations]) => ({
    metadata: { ...metadata, annotations },
    ...main(change),
  }));
}

const REFUSED: readonly Case[] = [
  ["an unknown directive", deployment, { spec: { $patch: "explode", replicas: 3, paused: false } }],
  ["a directive that is no text", deployment, { spec: { $patch: 5 } }],
  ["a directive that is null", deployment, { spec: { $patch: null } }],
  ["merge as a directive of a map", deployment, { spec: { $patch: "merge" } }],
  ["merge as a directive of an item", deployment, container({ $patch: "merge", name: "main" })],
  ["an unknown directive of an item", deployment, container({ $patch: "x", name: "main" })],
  ["an item without its key", deployment, container({ image: "x", args: ["a"], tty: true })],
  ["a deletion without its key", deployment, container({ $patch: "delete" })],
  ["items of different types", deployment, container({ name: "a" }, "b" as unknown as Fields)],
  ["a list of lists", deployment, container([{ name: "a" }] as unknown as Fields)],
  ["finalizers of another type", deployment, { metadata: { finalizers: [1] } }],
  ["retainKeys that is no list", deployment, { spec: { strategy: { $retainKeys: "type" } } }],
  [
    "retainKeys that lacks a field of the patch",
    deployment,
    { spec: { strategy: { $retainKeys: ["type"], rollingUpdate: {} } } },
  ],
  ["an order that is no list", deployment, { metadata: { "$setElementOrder/finalizers": "x" } }],
  ["an order without a field", deployment, { metadata: { $setElementOrder: ["x"] } }],
  ["an order of a field that does not exist", deployment, { spec: { "$setElementOrder/nothing": ["x"] } }],
  [
    "an order that contradicts the list",
    deployment,
    main({
      "$setElementOrder/env": [{ name: "A" }, { name: "B" }],
      env: [
        { name: "B", value: "2" },
        { name: "A", value: "1" },
      ],
    }),
  ],
  [
    "an order that lacks an item",
    deployment,
    main({ "$setElementOrder/env": [{ name: "A" }], env: [{ name: "N", value: "2" }] }),
  ],
  ["an order without keys", deployment, main({ "$setElementOrder/env": [{ value: "A" }] })],
  ["an order for what is no list", deployment, main({ "$setElementOrder/env": [{ name: "A" }], env: "x" })],
  ["a deletion list without a field", deployment, { metadata: { $deleteFromPrimitiveList: ["x"] } }],
];

describe("a strategic merge patch is refused as a real kube-apiserver refuses it:", () => {
  test.each(REFUSED)("%s", async (_, { path, kind }, patch) => {
    const { code, message } = await send("PATCH", `${path}?dryRun=All`, patch);
    const original = await send("GET", path);
    const schema = mergeSchemaOf(kind);
    const merge = (): unknown => schema && strategicMergePatch(original, patch, schema);
    expect(merge).toThrow(StrategicMergeError);
    expect(merge).toThrow(expect.objectContaining({ message, code }));
  });
});
