import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  AzureCluster,
  type Cluster,
  getCondition,
  isJsonObject,
  type JsonObject,
  KubeadmControlPlane,
} from "@capstan/api";
import { createAuthority } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { parseAllDocuments, stringify } from "yaml";
import { killAll } from "../../journeys/capstan.ts";
import { type BesideUpstream, startBesideUpstream } from "../beside-upstream.ts";
import type { Table } from "../table.ts";
import { waitFor } from "../wait.ts";

const CLUSTER = "harbour";
const OLD = "v1.33.5";
const NEW = "v1.34.1";
// A loopback address of this process: other runs on the machine have theirs.
const HOST = `127.64.${(process.pid >> 8) & 255}.${process.pid & 255}`;
const SETTLED_MS = 15 * 60_000;
const APPLIED_MS = 60_000;
const GONE_MS = 10 * 60_000;
const CONTROL_PLANE = `kubeadmcontrolplane/${CLUSTER}-control-plane`;
const DEPLOYMENT = `machinedeployment/${CLUSTER}-md-0`;
const POOL = `machinepool/${CLUSTER}-mp-0`;

/** Our Azure provider beside Cluster API's core and kubeadm providers, all of them installed by clusterctl. */
export const azureProvider: Table = {
  name: "azure-provider",
  about: "our infrastructure beside Cluster API's core, bootstrap and control plane, by clusterctl",
  inputs: [
    "packages/*/src/**/*.ts",
    "config/clusterctl/*",
    "tools/clusterctl-package.ts",
    "test/journeys/capstan.ts",
    "test/kube/{control-plane,guest-azure,management,free-port,assets}.ts",
    "test/interop/{core,kubeadm,clusterctl}/*",
    "test/interop/tables/azure-provider.ts",
  ],
  run: async ({ say }) => {
    const beside = await startBesideUpstream(say);
    try {
      const problems: string[] = [];
      for (const [name, step] of STEPS) {
        const startedMs = performance.now();
        const found = await step(beside);
        say(
          `      ${name}: ${found.length === 0 ? "ok" : "FAIL"}, ${seconds(performance.now() - startedMs)} s`,
        );
        problems.push(...found.map((problem) => `${name}: ${problem}`));
        // The next steps start from the state that this one should have reached.
        if (found.length > 0) return { summary: `failed at ${name}`, problems: [...problems, beside.logs()] };
      }
      return { summary: STEPS.map(([name]) => name).join(", "), problems };
    } finally {
      await beside.stop();
      killAll();
    }
  },
};

type Step = (beside: BesideUpstream) => Promise<readonly string[]>;

const STEPS: readonly (readonly [string, Step])[] = [
  [
    "upgrade plan",
    (beside) => printed(beside, ["upgrade", "plan"], /infrastructure-capstan .*Already up to date/),
  ],
  ["generate cluster", generated],
  [
    "three control planes with external etcd, a MachineDeployment and a MachinePool",
    (beside) => settled(beside, OLD),
  ],
  ["describe cluster", described],
  ["get kubeconfig", kubeconfig],
  ["a Machine of the pool deleted", poolMachineDeleted],
  ["upgraded", upgraded],
  ["scaled", scaled],
  ["moved to a directory", movedToDirectory],
  ["deleted", deleted],
  ["provider deleted", providerDeleted],
];

async function printed(
  { clusterctl }: BesideUpstream,
  args: readonly string[],
  expected: RegExp,
): Promise<readonly string[]> {
  const { code, out, err } = await clusterctl(...args);
  if (code !== 0) return [`clusterctl ${args.join(" ")} failed: ${err}`];
  return expected.test(out) ? [] : [`clusterctl ${args.join(" ")} does not print ${expected}:\n${out}`];
}

/** The manifests of our template with most parts, at an endpoint that this machine has, and with an etcd elsewhere. */
async function generated(beside: BesideUpstream): Promise<readonly string[]> {
  const { clusterctl, management } = beside;
  const counts = ["--control-plane-machine-count=3", "--worker-machine-count=2"];
  const flavors = ["", "--flavor=machinepool", "--flavor=ha"];
  let text = "";
  for (const flavor of flavors) {
    const flags = [`--kubernetes-version=${OLD}`, ...counts, ...(flavor === "" ? [] : [flavor])];
    const { code, out, err } = await clusterctl("generate", "cluster", CLUSTER, ...flags);
    if (code !== 0) return [`clusterctl generate cluster ${flavor} failed: ${err}`];
    text = out;
  }
  const manifests = stringifyAll([...secrets(await etcdAuthority()), ...changed(text)]);
  let problem = "";
  // The webhooks are trusted soon after the manager leads.
  const isApplied = await waitFor(APPLIED_MS, () =>
    management.apply(manifests).catch((error: unknown) => {
      problem = String(error);
      return undefined;
    }),
  );
  return isApplied === undefined ? [problem] : [];
}

async function etcdAuthority(): Promise<{ readonly cert: string; readonly key: string }> {
  return createAuthority(createRealEnv());
}

/** What users create before: the password of the identity, and the certificates of their etcd. */
function secrets({ cert, key }: { readonly cert: string; readonly key: string }): readonly JsonObject[] {
  const secret = (name: string, stringData: JsonObject, labels: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "default", labels },
    stringData,
  });
  const ofCluster = { "cluster.x-k8s.io/cluster-name": CLUSTER };
  return [
    secret(
      "cluster-identity-secret",
      { clientSecret: "simulated-secret" },
      { "clusterctl.cluster.x-k8s.io/move-hierarchy": "true" },
    ),
    secret(`${CLUSTER}-etcd`, { "tls.crt": cert }, ofCluster),
    secret(`${CLUSTER}-apiserver-etcd-client`, { "tls.crt": cert, "tls.key": key }, ofCluster),
  ];
}

function changed(text: string): readonly JsonObject[] {
  const certificates = "/etc/kubernetes/pki";
  const external = {
    endpoints: ["https://127.0.0.1:2379"],
    caFile: `${certificates}/etcd/ca.crt`,
    certFile: `${certificates}/apiserver-etcd-client.crt`,
    keyFile: `${certificates}/apiserver-etcd-client.key`,
  };
  return parseAllDocuments(text).flatMap((document) => {
    const object: unknown = document.toJS();
    if (!isJsonObject(object)) return [];
    if (object["kind"] === AzureCluster.kind)
      document.setIn(["spec", "controlPlaneEndpoint"], { host: HOST, port: 6443 });
    if (object["kind"] === KubeadmControlPlane.kind)
      document.setIn(["spec", "kubeadmConfigSpec", "clusterConfiguration", "etcd"], { external });
    return [document.toJS() as JsonObject];
  });
}

function stringifyAll(objects: readonly JsonObject[]): string {
  return objects.map((object) => stringify(object)).join("---\n");
}

/** Waits until all machines are Available and have a version. */
async function settled({ objects, management }: BesideUpstream, version: string): Promise<readonly string[]> {
  const done = await waitFor(SETTLED_MS, async () => {
    const [cluster] = (await objects("clusters", "-n", "default")) as unknown as readonly Cluster[];
    const machines = await objects("machines", "-n", "default");
    const isAll = machines.every(
      ({ spec, status }) =>
        isJsonObject(spec) &&
        spec["version"] === version &&
        isJsonObject(status) &&
        status["phase"] === "Running",
    );
    return cluster && isWhole(cluster) && isAll ? true : undefined;
  });
  if (done) return [];
  return [
    `not settled after ${seconds(SETTLED_MS)} s:\n${await management.kubectl("get", "clusters,machines,kubeadmcontrolplanes,machinedeployments,machinepools,azuremachinepools,azuremachinepoolmachines")}`,
  ];
}

function isWhole({ status }: Cluster): boolean {
  const { controlPlane, workers, conditions } = status ?? {};
  return (
    getCondition(conditions, "Available")?.status === "True" &&
    getCondition(conditions, "RollingOut")?.status !== "True" &&
    [controlPlane, workers].every((counts) => {
      const { desiredReplicas, replicas, availableReplicas, upToDateReplicas } = counts ?? {};
      return [replicas, availableReplicas, upToDateReplicas].every((one) => one === desiredReplicas);
    })
  );
}

async function described(beside: BesideUpstream): Promise<readonly string[]> {
  return printed(beside, ["describe", "cluster", CLUSTER], /^Cluster default\/harbour .* True +Available /m);
}

async function kubeconfig({ clusterctl }: BesideUpstream): Promise<readonly string[]> {
  const { code, out, err } = await clusterctl("get", "kubeconfig", CLUSTER);
  return code === 0 && out.includes(`https://${HOST}:6443`)
    ? []
    : [`clusterctl get kubeconfig: ${out}${err}`];
}

/** A user deletes a Machine that Cluster API has made for a machine of the pool: its instance goes, once. */
async function poolMachineDeleted(beside: BesideUpstream): Promise<readonly string[]> {
  const { objects, management } = beside;
  const ofPool = ["machines", "-n", "default", "-l", `cluster.x-k8s.io/pool-name=${CLUSTER}-mp-0`];
  const before = await namesOf(objects, ofPool);
  const [first = ""] = before;
  if (before.length !== 2) return [`the pool has the Machines ${before.join(", ")}: expected two`];
  await management.kubectl("delete", "machine", first, "--timeout=5m");
  const problems = await settled(beside, OLD);
  const after = await namesOf(objects, ofPool);
  const infrastructure = await namesOf(objects, ["azuremachinepoolmachines", "-n", "default"]);
  if (after.length !== 2 || after.includes(first) || infrastructure.join() !== after.join())
    return [
      ...problems,
      `Machines ${after.join()}, AzureMachinePoolMachines ${infrastructure.join()} after ${first}`,
    ];
  return problems;
}

async function namesOf(
  objects: BesideUpstream["objects"],
  args: readonly string[],
): Promise<readonly string[]> {
  return (await objects(...args)).map(({ metadata }) => String((metadata as JsonObject)["name"])).toSorted();
}

/** The control plane first, as Cluster API wants it. */
async function upgraded(beside: BesideUpstream): Promise<readonly string[]> {
  const { management, objects } = beside;
  await patch(beside, CONTROL_PLANE, { spec: { version: NEW } });
  const isUpgraded = await waitFor(SETTLED_MS, async () => {
    const [plane] = await objects("kubeadmcontrolplanes", "-n", "default");
    const { version, upToDateReplicas, replicas } = (plane?.["status"] ?? {}) as Record<string, unknown>;
    return version === NEW && upToDateReplicas === 3 && replicas === 3 ? true : undefined;
  });
  if (!isUpgraded) return [await management.kubectl("get", "machines,kubeadmcontrolplanes")];
  for (const owner of [DEPLOYMENT, POOL])
    await patch(beside, owner, { spec: { template: { spec: { version: NEW } } } });
  return settled(beside, NEW);
}

async function scaled(beside: BesideUpstream): Promise<readonly string[]> {
  const sizes = [
    [CONTROL_PLANE, 1],
    [DEPLOYMENT, 3],
    [POOL, 1],
  ] as const;
  for (const [owner, replicas] of sizes) await patch(beside, owner, { spec: { replicas } });
  const problems = await settled(beside, NEW);
  const machines = await beside.objects("machines", "-n", "default");
  return machines.length === 5 ? problems : [...problems, `${machines.length} Machines: expected 5`];
}

async function patch({ management }: BesideUpstream, owner: string, body: object): Promise<void> {
  await management.kubectl("patch", owner, "--type=merge", "-p", JSON.stringify(body));
}

async function movedToDirectory({ clusterctl, management }: BesideUpstream): Promise<readonly string[]> {
  const folder = join(management.folder, "moved");
  mkdirSync(folder);
  const { code, err } = await clusterctl("move", "--to-directory", folder);
  if (code !== 0) return [`clusterctl move failed: ${err}`];
  const files = readdirSync(folder).join(" ");
  const expected = [
    /AzureClusterIdentity/,
    /Secret_.*cluster-identity-secret/,
    /AzureMachinePoolMachine/,
    /AzureMachineTemplate/,
  ];
  const missing = expected.filter((pattern) => !pattern.test(files)).map(String);
  return missing.length === 0 ? [] : [`clusterctl move leaves out ${missing.join(", ")}: ${files}`];
}

async function deleted({ management }: BesideUpstream): Promise<readonly string[]> {
  const paused = JSON.stringify({ spec: { paused: null } });
  await management.kubectl("patch", "cluster", CLUSTER, "--type=merge", "-p", paused);
  await management.kubectl("delete", "cluster", CLUSTER, `--timeout=${GONE_MS / 1000}s`);
  const resources = await management.azure.resources();
  return resources.length === 0 ? [] : [`left in Azure: ${resources.join(", ")}`];
}

async function providerDeleted({ clusterctl, management }: BesideUpstream): Promise<readonly string[]> {
  const { code, err } = await clusterctl("delete", "--infrastructure=capstan");
  if (code !== 0) return [`clusterctl delete failed: ${err}`];
  const left = await management.kubectl(
    "get",
    "deployments",
    "-n",
    "capstan-system",
    "-o",
    "name",
    "--ignore-not-found",
  );
  return left.includes("capstan-manager") ? [`left: ${left}`] : [];
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
