import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, getCondition, type JsonObject, type Machine } from "@capstan/api";
import { type CapstanUp, startCapstanUp } from "../capstan-up.ts";
import { forgetMoved } from "../forget-moved.ts";
import type { Table } from "../table.ts";
import { waitFor } from "../wait.ts";

/** Folders of examples, and the Cluster in each. */
const EXAMPLES = [
  ["cluster", "demo"],
  ["machine-pool", "quay"],
  ["ha-cluster", "bridge"],
  ["machine-deployment", "pier"],
] as const;
const CLUSTERS = EXAMPLES.map(([, cluster]) => cluster);

/** What `clusterctl describe` shows of the largest Cluster, beside its machines. */
const SHOWN = [
  "AzureCluster default/bridge",
  "KubeadmControlPlane default/bridge, v1.33.5",
  "MachineDeployment default/bridge-workers, v1.33.5",
  "MachinePool default/bridge-pool, v1.33.5",
];
const ZONES = ["1", "2", "3"];
const READY_MS = 300_000;
const MACHINES = "machines,azuremachines,azuremachinepoolmachines";

/** clusterctl and kubectl of upstream with `capstan up`, as a user works with them. */
export const clusterctl: Table = {
  name: "clusterctl",
  about: "clusterctl and kubectl with capstan up: manifests of both versions, describe, move",
  inputs: [
    "packages/*/src/**/*.ts",
    "examples/{cluster,machine-pool,ha-cluster,machine-deployment}/*.yaml",
    "test/journeys/capstan.ts",
    "test/interop/clusterctl/*",
    "test/interop/tables/clusterctl.ts",
  ],
  run: async ({ say }) => {
    const up = await startCapstanUp(say);
    try {
      const problems = [
        ...(await applied(up)),
        ...(await ready(up, "after the manifests")),
        ...(await inBothVersions(up)),
        ...(await described(up)),
        ...(await kubeconfigs(up)),
        ...(await placed(up)),
        ...(await moved(up)),
      ];
      return {
        summary: `${CLUSTERS.length} clusters applied in both versions, described and moved`,
        problems,
      };
    } finally {
      await up.stop();
    }
  },
};

async function applied(up: CapstanUp): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [folder] of EXAMPLES) problems.push(...(await applyAndCompare(up, join("examples", folder))));
  return problems;
}

/** Applies manifests; a comparison right after that must find no difference. */
async function applyAndCompare({ kubectl }: CapstanUp, path: string): Promise<readonly string[]> {
  const { code, err } = await kubectl("apply", "-f", path);
  if (code !== 0) return [`kubectl apply of ${path} failed: ${err}`];
  const difference = await kubectl("diff", "-f", path);
  return difference.code === 0
    ? []
    : [`kubectl diff after an apply of ${path}: ${difference.out}${difference.err}`];
}

/** The same objects, in v1beta1 and again in v1beta2. */
async function inBothVersions(up: CapstanUp): Promise<readonly string[]> {
  const problems: string[] = [];
  const before = await namesOf(up);
  for (const [folder] of EXAMPLES) {
    const newer = join("examples", folder);
    const { code, out, err } = await up.inV1Beta1(newer);
    if (code !== 0) problems.push(`capstan convert of ${newer} failed: ${err}`);
    const older = up.file(`${folder}.yaml`, out);
    for (const path of [older, newer, older]) problems.push(...(await applyAndCompare(up, path)));
  }
  problems.push(...(await ready(up, "after an apply in both versions")));
  const after = await namesOf(up);
  return after === before
    ? problems
    : [...problems, `manifests of both versions replaced machines:\n${before}\n${after}`];
}

/** Waits until all Clusters are Available, with all of their machines. */
async function ready(up: CapstanUp, when: string): Promise<readonly string[]> {
  let clusters: readonly Cluster[] = [];
  const done = await waitFor(READY_MS, async () => {
    clusters = (await up.objects("clusters")) as unknown as readonly Cluster[];
    return clusters.length === CLUSTERS.length && clusters.every(isWhole) ? true : undefined;
  });
  if (done) return [];
  const { out } = await up.clusterctl(
    "describe",
    "cluster",
    clusters.find((one) => !isWhole(one))?.metadata.name ?? "demo",
  );
  return [`not all of ${CLUSTERS.join(", ")} are Available ${when}:\n${out}`];
}

function isWhole({ spec, status }: Cluster): boolean {
  const { controlPlane, workers } = status ?? {};
  const groups = spec.controlPlaneRef ? [controlPlane, workers] : [workers];
  return (
    getCondition(status?.conditions, "Available")?.status === "True" &&
    groups.every((counts) => {
      const { desiredReplicas, replicas, readyReplicas, availableReplicas, upToDateReplicas } = counts ?? {};
      return [replicas, readyReplicas, availableReplicas, upToDateReplicas].every(
        (one) => one === desiredReplicas,
      );
    })
  );
}

async function described({ clusterctl: run, objects }: CapstanUp): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const cluster of CLUSTERS)
    for (const flags of [[], ["--show-conditions", "all", "--grouping=false"]]) {
      const { code, out, err } = await run("describe", "cluster", cluster, ...flags);
      const command = ["clusterctl describe cluster", cluster, ...flags].join(" ");
      if (code !== 0) problems.push(`${command} failed: ${err}`);
      const summary = /^Cluster .* True +Available /m;
      if (flags.length === 0 && !summary.test(out)) problems.push(`${command}: not Available:\n${out}`);
      if (/\bUnknown\b/.test(out)) problems.push(`${command} shows Unknown:\n${out}`);
      const machines = await objects("machines", "-l", `cluster.x-k8s.io/cluster-name=${cluster}`);
      const shown = [
        ...(cluster === "bridge" ? SHOWN : []),
        ...(flags.length === 0 ? [] : machines.map((machine) => `Machine default/${nameOf(machine)}`)),
      ];
      const missing = shown.filter((one) => !out.includes(one));
      if (missing.length > 0) problems.push(`${command} does not show ${missing.join(", ")}:\n${out}`);
    }
  return problems;
}

async function kubeconfigs({ clusterctl: run }: CapstanUp): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const cluster of CLUSTERS) {
    const { code, out, err } = await run("get", "kubeconfig", cluster);
    if (code !== 0 || !/^ *server: https:/m.test(out))
      problems.push(`clusterctl get kubeconfig ${cluster}: ${out}${err}`);
  }
  return problems;
}

/** The machines of a control plane show their zones. */
async function placed({ objects }: CapstanUp): Promise<readonly string[]> {
  const machines = await objects("machines", "-l", "cluster.x-k8s.io/control-plane");
  const zones = machines.map((machine) => (machine as unknown as Machine).status?.failureDomain ?? "");
  return zones.sort((left, right) => left.localeCompare(right)).join() === ZONES.join()
    ? []
    : [`the control plane's machines show the zones ${zones.join()}`];
}

/** Saves all Clusters, forgets them, and restores them: neither a machine nor a resource in Azure is another one then. */
async function moved(up: CapstanUp): Promise<readonly string[]> {
  const folder = join(up.folder, "moved");
  mkdirSync(folder);
  const saved = await up.clusterctl("move", "--to-directory", folder);
  if (saved.code !== 0) return [`clusterctl move --to-directory failed: ${saved.err}`];
  const [machines, resources] = [await namesOf(up), await up.resources()];
  const left = await forgetMoved(up);
  if (left.length > 0) return [`could not forget ${left.join(", ")}`];
  const restored = await up.clusterctl("move", "--from-directory", folder);
  if (restored.code !== 0) return [`clusterctl move --from-directory failed: ${restored.err}`];
  const problems = [...(await ready(up, "after the move"))];
  if ((await namesOf(up)) !== machines)
    problems.push(`the move replaced machines:\n${machines}\n${await namesOf(up)}`);
  if ((await up.resources()) !== resources) problems.push("the move changed resources in Azure");
  return problems;
}

async function namesOf({ objects }: CapstanUp): Promise<string> {
  const machines = await objects(MACHINES);
  return machines
    .map((machine) => `${String(machine["kind"])} ${nameOf(machine)} ${providerIDOf(machine)}`)
    .toSorted()
    .join("\n");
}

function nameOf({ metadata }: JsonObject): string {
  return String((metadata as JsonObject)["name"]);
}

function providerIDOf({ spec }: JsonObject): string {
  return String((spec as JsonObject)["providerID"]);
}
