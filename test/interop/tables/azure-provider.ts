import { type BesideUpstream, startBesideUpstream } from "../beside-upstream.ts";
import {
  applyGenerated,
  type GeneratedCluster,
  patch,
  seconds,
  settled,
  SETTLED_MS,
} from "../generated-cluster.ts";
import type { JsonObject } from "@capstan/api";
import { killAll } from "../../journeys/capstan.ts";
import type { Table } from "../table.ts";
import { waitFor } from "../wait.ts";

const OLD = "v1.33.5";
const NEW = "v1.34.1";
// Loopback addresses of this process: other runs on the machine have theirs.
const hostAt = (index: number): string =>
  `127.${64 + index}.${(process.pid >> 8) & 255}.${process.pid & 255}`;
const HARBOUR: GeneratedCluster = { name: "harbour", host: hostAt(0) };
const LAGOON: GeneratedCluster = { name: "lagoon", host: hostAt(1) };
const CONTROL_PLANE = `kubeadmcontrolplane/${HARBOUR.name}-control-plane`;
const DEPLOYMENT = `machinedeployment/${HARBOUR.name}-md-0`;
const POOL = `machinepool/${HARBOUR.name}-mp-0`;
const GONE_MS = 10 * 60_000;

/** Where the clusters are: after a move, in the other management cluster. */
interface Place {
  beside: BesideUpstream;
  /** Starts another management cluster with the same simulated Azure. */
  readonly startOther: () => Promise<BesideUpstream>;
}

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
    const first = await startBesideUpstream(say);
    const running = [first];
    const startOther = async (): Promise<BesideUpstream> => {
      const other = await startBesideUpstream(say, { azure: first.management.azure });
      running.push(other);
      return other;
    };
    try {
      return await stepped({ beside: first, startOther }, say);
    } finally {
      for (const one of running.toReversed()) await one.stop();
      killAll();
    }
  },
};

async function stepped(
  place: Place,
  say: (line: string) => void,
): Promise<{ readonly summary: string; readonly problems: readonly string[] }> {
  const summary = STEPS.map(([name]) => name).join(", ");
  for (const [name, step] of STEPS) {
    const startedMs = performance.now();
    const found = await step(place.beside, place);
    say(`      ${name}: ${found.length === 0 ? "ok" : "FAIL"}, ${seconds(performance.now() - startedMs)} s`);
    // The next steps start from the state that this one should have reached.
    if (found.length > 0) return { summary: `failed at ${name}`, problems: [...found, place.beside.logs()] };
  }
  return { summary, problems: [] };
}

type Step = (beside: BesideUpstream, place: Place) => Promise<readonly string[]>;

const STEPS: readonly (readonly [string, Step])[] = [
  [
    "upgrade plan",
    (beside) => printed(beside, ["upgrade", "plan"], /infrastructure-capstan .*Already up to date/),
  ],
  ["generate cluster", generated],
  [
    "three control planes with external etcd, a MachineDeployment and a MachinePool",
    (beside) => settled(beside, { version: OLD, machines: 7 }),
  ],
  ["describe cluster", (beside) => printed(beside, ["describe", "cluster", HARBOUR.name], AVAILABLE)],
  ["get kubeconfig", (beside) => printed(beside, ["get", "kubeconfig", HARBOUR.name], KUBECONFIG)],
  ["a Machine of the pool deleted", poolMachineDeleted],
  ["upgraded", upgraded],
  ["scaled", scaled],
  ["moved to another management cluster", moved],
  ["deleted", (beside) => deleted(beside, HARBOUR)],
  ["a cluster of a ClusterClass", classCreated],
  ["its machine type and version changed", classChanged],
  ["deleted", (beside) => deleted(beside, LAGOON)],
  ["provider deleted", providerDeleted],
];

const AVAILABLE = /^Cluster default\/harbour .* True +Available /m;
const KUBECONFIG = new RegExp(`https://${HARBOUR.host}:6443`);

async function printed(
  { clusterctl }: BesideUpstream,
  args: readonly string[],
  expected: RegExp,
): Promise<readonly string[]> {
  const { code, out, err } = await clusterctl(...args);
  if (code !== 0) return [`clusterctl ${args.join(" ")} failed: ${err}`];
  return expected.test(out) ? [] : [`clusterctl ${args.join(" ")} does not print ${expected}:\n${out}`];
}

/** Generates all of our templates, and applies the one with most parts. */
async function generated(beside: BesideUpstream): Promise<readonly string[]> {
  const counts = ["--control-plane-machine-count=3", "--worker-machine-count=2"];
  let text = "";
  for (const flavor of [[], ["--flavor=machinepool"], ["--flavor=ha"]])
    text = await templateOf(beside, HARBOUR, [...counts, ...flavor]);
  return applyGenerated(beside, HARBOUR, text);
}

async function templateOf(
  { clusterctl }: BesideUpstream,
  { name }: GeneratedCluster,
  flags: readonly string[],
): Promise<string> {
  const { code, out, err } = await clusterctl(
    "generate",
    "cluster",
    name,
    `--kubernetes-version=${OLD}`,
    ...flags,
  );
  if (code !== 0) throw new Error(`clusterctl generate cluster ${flags.join(" ")} failed: ${err}`);
  return out;
}

/** A user deletes a Machine that Cluster API has made for a machine of the pool: its instance goes, once. */
async function poolMachineDeleted(beside: BesideUpstream): Promise<readonly string[]> {
  const { objects, management } = beside;
  const ofPool = ["machines", "-n", "default", "-l", `cluster.x-k8s.io/pool-name=${HARBOUR.name}-mp-0`];
  const before = await namesOf(objects, ofPool);
  const [first = ""] = before;
  if (before.length !== 2) return [`the pool has the Machines ${before.join(", ")}: expected two`];
  await management.kubectl("delete", "machine", first, "--timeout=5m");
  const problems = await settled(beside, { version: OLD, machines: 7 });
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
  return settled(beside, { version: NEW, machines: 7 });
}

async function scaled(beside: BesideUpstream): Promise<readonly string[]> {
  const sizes = [
    [CONTROL_PLANE, 1],
    [DEPLOYMENT, 3],
    [POOL, 1],
  ] as const;
  for (const [owner, replicas] of sizes) await patch(beside, owner, { spec: { replicas } });
  return settled(beside, { version: NEW, machines: 5 });
}

/** The machines stay: another management cluster takes over all objects, and goes on. */
async function moved(beside: BesideUpstream, place: Place): Promise<readonly string[]> {
  const machinesIn = ({ objects }: BesideUpstream): Promise<readonly string[]> =>
    namesOf(objects, ["machines,azuremachines,azuremachinepoolmachines", "-n", "default"]);
  const before = await machinesIn(beside);
  const resources = (await beside.management.azure.resources()).toSorted().join("\n");
  const other = await place.startOther();
  const { kubeconfig } = other.management.plane;
  // Their admission answers soon after the manager leads; clusterctl tries several times.
  const { code, err } = await beside.clusterctl("move", "--to-kubeconfig", kubeconfig);
  if (code !== 0) return [`clusterctl move failed: ${err}`];
  place.beside = other;
  const problems = await settled(other, { version: NEW, machines: 5 });
  const after = await machinesIn(other);
  const left = await namesOf(beside.objects, [
    "clusters,azureclusters,azuremachines,azureclusteridentities",
    "-A",
  ]);
  const secret = await namesOf(other.objects, ["secrets", "-n", "default"]);
  return [
    ...problems,
    ...(after.join() === before.join()
      ? []
      : [`machines before and after: ${before.join()}, ${after.join()}`]),
    ...(left.length === 0 ? [] : [`left behind: ${left.join()}`]),
    ...(secret.includes("cluster-identity-secret") ? [] : ["the Secret of the identity was not moved"]),
    ...((await beside.management.azure.resources()).toSorted().join("\n") === resources
      ? []
      : ["the move has changed resources in Azure"]),
  ];
}

async function deleted(
  { management }: BesideUpstream,
  { name }: GeneratedCluster,
): Promise<readonly string[]> {
  await management.kubectl("delete", "cluster", name, `--timeout=${GONE_MS / 1000}s`);
  const resources = await management.azure.resources();
  return resources.length === 0 ? [] : [`left in Azure: ${resources.join(", ")}`];
}

/** Core makes the AzureCluster; its endpoint is set at once, before Capstan takes that of the load balancer. */
async function classCreated(beside: BesideUpstream): Promise<readonly string[]> {
  const counts = ["--control-plane-machine-count=1", "--worker-machine-count=2"];
  const text = await templateOf(beside, LAGOON, [...counts, "--flavor=topology"]);
  const problems = await applyGenerated(beside, LAGOON, text);
  const name = await waitFor(
    SETTLED_MS,
    async () => (await namesOf(beside.objects, ["azureclusters", "-n", "default"]))[0],
  );
  await patch(beside, `azurecluster/${name}`, {
    spec: { controlPlaneEndpoint: { host: LAGOON.host, port: 6443 } },
  });
  return [...problems, ...(await settled(beside, { version: OLD, machines: 3 }))];
}

async function classChanged(beside: BesideUpstream): Promise<readonly string[]> {
  const [cluster] = await beside.objects("clusters", "-n", "default");
  const { topology } = (cluster?.["spec"] ?? {}) as {
    readonly topology: { readonly variables: readonly JsonObject[] };
  };
  const variables = topology.variables.map((variable) =>
    variable["name"] === "nodeMachineType" ? { ...variable, value: "Standard_D4s_v3" } : variable,
  );
  await patch(beside, `cluster/${LAGOON.name}`, { spec: { topology: { variables, version: NEW } } });
  const problems = await settled(beside, { version: NEW, machines: 3 });
  const sizes = await beside.objects("azuremachines", "-n", "default");
  const shown = sizes.map(({ spec }) => String((spec as JsonObject)["vmSize"])).toSorted();
  const expected = ["Standard_D2s_v3", "Standard_D4s_v3", "Standard_D4s_v3"];
  return shown.join() === expected.join() ? problems : [...problems, `sizes of machines: ${shown.join()}`];
}

async function providerDeleted({ clusterctl, management }: BesideUpstream): Promise<readonly string[]> {
  const { code, err } = await clusterctl("delete", "--infrastructure=capstan");
  if (code !== 0) return [`clusterctl delete failed: ${err}`];
  const left = await management.kubectl("get", "deployments", "-A", "-o", "name");
  return left.includes("capstan-manager") ? [`left: ${left}`] : [];
}
