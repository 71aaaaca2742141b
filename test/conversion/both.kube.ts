/** Several managers apply an object in both versions: our server and kube-apiserver with our webhook agree. */
import { type CustomKind, customKinds, toConvertedDefinition } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, type Handler } from "@capstan/env";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ControlPlane, startControlPlane } from "../kube/control-plane.ts";
import { type ConversionWebhook, serveConversions } from "./webhook.ts";

type Fields = Record<string, unknown>;

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const KINDS = customKinds.filter(({ kind }) => ["MachineDeployment", "AzureCluster"].includes(kind));
const VERSIONS = ["v1beta1", "v1beta2"] as const;
const pathIn = (version: string): string =>
  `/apis/cluster.x-k8s.io/${version}/namespaces/default/machinedeployments/workers`;
const azurePathIn = (version: string): string =>
  `/apis/infrastructure.cluster.x-k8s.io/${version}/namespaces/default/azureclusters/pier`;

let plane: ControlPlane;
let webhook: ConversionWebhook;
let servers: readonly Handler[];

beforeAll(async () => {
  const versionOf = (): string => "v1beta1";
  webhook = await serveConversions({ kinds: customKinds, versionOf });
  plane = await startControlPlane();
  const real = plane.connect();
  // No rules of ours on either server: the real one has no admission webhook here.
  const rules = KINDS.map((kind) => ({
    ...kind,
    applyDefaults: () => undefined,
    validate: () => [],
    warn: () => [],
  }));
  const embedded = createApiServer({ env: createRealEnv(), kinds: builtInKinds, rules }).handle;
  servers = [(request) => real.request(request), embedded];
  for (const handle of servers) for (const kind of KINDS) await install(handle, kind);
});

async function install(handle: Handler, kind: CustomKind): Promise<void> {
  const definition = toConvertedDefinition(kind);
  const { clientConfig } = webhook;
  const conversion = { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } };
  await send(handle, "POST", DEFINITIONS, { ...definition, spec: { ...definition.spec, conversion } });
  for (const version of VERSIONS) {
    const path = `/apis/${kind.group}/${version}/${kind.plural}`;
    await vi.waitFor(async () => expect((await send(handle, "GET", path)).status).toBe(200), {
      timeout: 20_000,
    });
  }
}

afterAll(async () => {
  await plane.stop();
  await webhook.close();
});

async function send(
  handle: Handler,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Fields }> {
  const type = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
  const headers = { "content-type": type };
  const text = body && JSON.stringify(body);
  const response = await handle({ method, path, headers, ...(text !== undefined && { body: text }) });
  return { status: response.status, body: (await response.json()) as Fields };
}

const reference = (kind: string, group: string, version?: string): object =>
  version === undefined
    ? { apiGroup: group, kind, name: "workers" }
    : { apiVersion: `${group}/${version}`, kind, name: "workers", namespace: "default" };

const template = (version?: string): object => ({
  spec: {
    clusterName: "pier",
    bootstrap: { configRef: reference("KubeadmConfigTemplate", "bootstrap.cluster.x-k8s.io", version) },
    infrastructureRef: reference("AzureMachineTemplate", "infrastructure.cluster.x-k8s.io", version),
    ...(version === undefined
      ? { deletion: { nodeDrainTimeoutSeconds: 60 }, minReadySeconds: 5 }
      : { nodeDrainTimeout: "1m0s" }),
  },
});

const object = (version: string, spec: object): object => ({
  apiVersion: `cluster.x-k8s.io/${version}`,
  kind: "MachineDeployment",
  metadata: { name: "workers" },
  spec,
});

const base = { clusterName: "pier", selector: { matchLabels: { a: "b" } } };

/** What each manager applies, in which version; the first one moves from v1beta1 to v1beta2 and leaves something out. */
const STEPS: readonly { manager: string; version: string; spec: object; force?: boolean }[] = [
  {
    manager: "one",
    version: "v1beta1",
    spec: {
      ...base,
      replicas: 2,
      minReadySeconds: 5,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, deletePolicy: "Oldest" } },
      template: template("v1beta1"),
    },
  },
  { manager: "two", version: "v1beta2", spec: { paused: false, remediation: { maxInFlight: "20%" } } },
  { manager: "three", version: "v1beta1", spec: { replicas: 3 } },
  { manager: "three", version: "v1beta1", spec: { replicas: 3 }, force: true },
  { manager: "two", version: "v1beta2", spec: { deletion: { order: "Newest" } } },
  { manager: "one", version: "v1beta2", spec: { ...base, template: template() } },
  { manager: "two", version: "v1beta1", spec: { paused: true } },
];

/** An answer without what differs between servers. */
function comparable({ status, body }: { readonly status: number; readonly body: Fields }): unknown {
  const { metadata, spec, message } = body as { metadata?: Fields; spec?: Fields; message?: string };
  const reported = typeof body["status"] === "object" ? body["status"] : undefined;
  const { annotations, managedFields, generation } = metadata ?? {};
  // Their order depends on the second in which each was written.
  const entries = ((managedFields ?? []) as Fields[])
    .map(({ time: _, ...entry }): Fields => entry)
    .toSorted((a, b) => (String(a["manager"]) < String(b["manager"]) ? -1 : 1));
  return { status, message: message?.split("\n").sort(), annotations, generation, entries, spec, reported };
}

test("three managers apply in both versions with the same result on both servers", async () => {
  const statuses: number[] = [];
  for (const [index, { manager, version, spec, force = false }] of STEPS.entries()) {
    const query = `?fieldManager=${manager}${force ? "&force=true" : ""}`;
    const answers = [];
    for (const handle of servers) {
      const answer = await send(handle, "PATCH", `${pathIn(version)}${query}`, object(version, spec));
      if (handle === servers[0]) statuses.push(answer.status);
      const older = await send(handle, "GET", pathIn("v1beta1"));
      const newer = await send(handle, "GET", pathIn("v1beta2"));
      answers.push([answer, older, newer].map(comparable));
    }
    const [real, ours] = answers;
    expect(ours, `step ${index + 1}: ${manager} in ${version}`).toEqual(real);
  }
  expect(statuses).toEqual([201, 200, 409, 200, 409, 200, 200]);
});

const azureCluster = (version: string, fields: object): object => ({
  apiVersion: `infrastructure.cluster.x-k8s.io/${version}`,
  kind: "AzureCluster",
  metadata: { name: "pier" },
  ...fields,
});
const endpoint = { host: "pier.example.com", port: 6443 };
const domain = { controlPlane: true };

/** Managers of an AzureCluster, whose failure domains are a map in one version and a list in the other. */
const AZURE_STEPS: readonly { manager: string; version: string; fields: object; part?: string }[] = [
  {
    manager: "one",
    version: "v1beta2",
    fields: { spec: { location: "westeurope", controlPlaneEndpoint: endpoint } },
  },
  {
    manager: "two",
    version: "v1beta1",
    part: "/status",
    fields: { status: { ready: true, failureDomains: { "2": domain, "1": { controlPlane: false } } } },
  },
  {
    manager: "three",
    version: "v1beta2",
    part: "/status",
    fields: {
      status: { initialization: { provisioned: true }, failureDomains: [{ name: "3", ...domain }] },
    },
  },
  {
    manager: "three",
    version: "v1beta2",
    part: "/status",
    fields: { status: { failureDomains: [{ name: "2", controlPlane: false }] } },
  },
  { manager: "two", version: "v1beta1", part: "/status", fields: { status: { ready: true } } },
  { manager: "one", version: "v1beta1", fields: { spec: { location: "westeurope" } } },
];

test("managers of both versions of an AzureCluster get the same result on both servers", async () => {
  const statuses: number[] = [];
  for (const [index, { manager, version, fields, part = "" }] of AZURE_STEPS.entries()) {
    const answers = [];
    for (const handle of servers) {
      const path = `${azurePathIn(version)}${part}?fieldManager=${manager}`;
      const answer = await send(handle, "PATCH", path, azureCluster(version, fields));
      if (handle === servers[0]) statuses.push(answer.status);
      const reads = [];
      for (const one of VERSIONS) reads.push(await send(handle, "GET", azurePathIn(one)));
      answers.push([answer, ...reads].map(comparable));
    }
    const [real, ours] = answers;
    expect(ours, `step ${index + 1}: ${manager} in ${version}`).toEqual(real);
  }
  expect(statuses).toEqual([201, 200, 200, 409, 200, 200]);
});
