import {
  type AsoObject,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  CustomResourceDefinition,
  type Frozen,
  type Kind,
  MachinePool,
  ManagedCluster,
  ManagedClustersAgentPool,
} from "@capstan/api";
import {
  type AksState,
  newestServed,
  planAks,
  type PlannedChange,
  type PlannedResource,
} from "@capstan/plan";
import { type Client, isNotServed } from "@capstan/runtime";
import type { PlanObjects } from "../read/given-objects.ts";
import type { PlanForm } from "../print/plan-form.ts";
import type { Planner, PlanReport, ProposedChange } from "./planner.ts";
import { aksCourse, aksCourseLines } from "../times/aks-times.ts";
import { proposed } from "./proposed-pools.ts";

/** Shows the resources of Azure Service Operator that manifests of AKS lead to, and which field or patch changes what. */
export const aksPlanner: Planner = {
  kinds: [AzureManagedControlPlane.kind],
  isFor: ({ managedControlPlanes, managedPools, managedMachinePools }) =>
    managedControlPlanes.length + managedPools.length + managedMachinePools.length > 0,
  planDump: (given) =>
    reportOf(given.managedControlPlanes.flatMap((one) => stateIn(one, given, knownVersion(one)) ?? [])),
  forecast: async (_, change) => reportOf(await proposedStates(change)),
};

/** The newest version that this release knows: a dump does not say what its server serves. */
function knownVersion({ spec }: Frozen<AzureManagedControlPlane>): string {
  return versionAmong(
    [ManagedCluster.version, ...ManagedCluster.alsoServed].map((name) => ({ name, served: true })),
    spec,
  );
}

function versionAmong(
  versions: readonly { readonly name: string; readonly served: boolean }[],
  { enablePreviewFeatures: preview = false }: Frozen<AzureManagedControlPlane>["spec"],
): string {
  return newestServed(versions, { preview }) ?? ManagedCluster.version;
}

/** An AKS cluster with its pools among the objects of a dump or of a change. */
function stateIn(
  controlPlane: Frozen<AzureManagedControlPlane>,
  given: PlanObjects,
  version: string,
): AksState | undefined {
  const { namespace, labels, ownerReferences } = controlPlane.metadata;
  const refers = given.clusters.find(
    ({ spec, metadata }) =>
      metadata.namespace === namespace &&
      (spec.controlPlaneRef?.name === controlPlane.metadata.name ||
        metadata.name === (ownerReferences?.[0]?.name ?? labels?.[CLUSTER_NAME_LABEL])),
  );
  if (!refers) return undefined;
  const pools = given.managedPools.flatMap((pool) => {
    const machinePool = given.managedMachinePools.find(
      ({ spec, metadata }) =>
        metadata.namespace === pool.metadata.namespace &&
        spec.clusterName === refers.metadata.name &&
        spec.template.spec.infrastructureRef.name === pool.metadata.name,
    );
    return machinePool ? [{ pool, machinePool }] : [];
  });
  return {
    controlPlane,
    cluster: refers,
    pools: pools.toSorted((a, b) => (a.pool.metadata.name < b.pool.metadata.name ? -1 : 1)),
    subscriptionID: controlPlane.spec.subscriptionID ?? "",
    observed: given.managedClusters.find((one) => isNamed(one, controlPlane)),
    agentPools: given.agentPools.filter(({ metadata }) => metadata.namespace === namespace),
    version,
  };
}

function isNamed({ metadata }: Frozen<AsoObject>, other: Frozen<AzureManagedControlPlane>): boolean {
  return (
    metadata.namespace === other.metadata.namespace && metadata.name === other.metadata.name.toLowerCase()
  );
}

/** Manifests over what the server has: applied as a dry run, so with its defaults and its validation. */
async function proposedStates({ client, given }: ProposedChange): Promise<readonly AksState[]> {
  const after = async <T extends Cluster | AzureManagedControlPlane | AzureManagedMachinePool | MachinePool>(
    kind: Parameters<typeof proposed<T>>[1],
    manifests: readonly Frozen<T>[],
  ): Promise<readonly Frozen<T>[]> => {
    const changed = await Promise.all(
      manifests.map(async (one) => (await proposed(client, kind, one)).after),
    );
    const stored = await client.list(kind);
    return [...changed, ...stored.filter((one) => !changed.some((other) => isSame(one, other)))];
  };
  const clusters = await after(Cluster, given.clusters);
  const managedControlPlanes = await after(AzureManagedControlPlane, given.managedControlPlanes);
  const managedPools = await after(AzureManagedMachinePool, given.managedPools);
  const managedMachinePools = await after(MachinePool, given.managedMachinePools);
  const definition = await client.find(CustomResourceDefinition, {
    name: `${ManagedCluster.plural}.${ManagedCluster.group}`,
  });
  const objects: PlanObjects = {
    ...given,
    clusters,
    managedControlPlanes,
    managedPools,
    managedMachinePools,
    managedClusters: await listed(client, ManagedCluster),
    agentPools: await listed(client, ManagedClustersAgentPool),
  };
  return managedControlPlanes
    .filter((one) => isConcerned(one, { given, clusters }))
    .flatMap((one) => {
      const version = definition ? versionAmong(definition.spec.versions, one.spec) : knownVersion(one);
      return stateIn(one, objects, version) ?? [];
    });
}

function isSame(one: Frozen<{ metadata: { name: string; namespace?: string } }>, other: typeof one): boolean {
  return one.metadata.name === other.metadata.name && one.metadata.namespace === other.metadata.namespace;
}

/** Whether a manifest is about the control plane, its Cluster or one of its pools. */
function isConcerned(
  controlPlane: Frozen<AzureManagedControlPlane>,
  { given, clusters }: { readonly given: PlanObjects; readonly clusters: readonly Frozen<Cluster>[] },
): boolean {
  if (given.managedControlPlanes.some((one) => isSame(one, controlPlane))) return true;
  const cluster = clusters.find(({ spec }) => spec.controlPlaneRef?.name === controlPlane.metadata.name)
    ?.metadata.name;
  return (
    given.managedMachinePools.some(({ spec }) => spec.clusterName === cluster) ||
    given.managedPools.some(({ metadata }) => (metadata.labels?.[CLUSTER_NAME_LABEL] ?? cluster) === cluster)
  );
}

/** Without Azure Service Operator there is nothing to compare with. */
async function listed(client: Client, kind: Kind<AsoObject>): Promise<readonly Frozen<AsoObject>[]> {
  try {
    return await client.list(kind);
  } catch (error) {
    if (isNotServed(error)) return [];
    throw error;
  }
}

function reportOf(states: readonly AksState[]): PlanReport {
  const planned = states.map((state) => ({ state, resources: planAks(state) }));
  const resources = planned.flatMap((one) => one.resources);
  const courses = new Map(
    planned.flatMap(({ state, resources: own }) => own.map((one) => [one, aksCourse(state, one)])),
  );
  const blocked = resources.flatMap(({ kind, name, problem }) =>
    problem === undefined ? [] : [{ reason: "PatchFailed", targets: [`${kind}/${name}`], why: problem }],
  );
  return {
    print: (form) => resources.map((one) => textOf(one, aksCourseLines(courses.get(one)), form)).join("\n"),
    json: {
      actions: planned.flatMap(({ state, resources: own }) => own.flatMap((one) => actionOf(state, one))),
      blocked,
    },
    isDisruptive: [...courses.values()].some((course) => course !== undefined && course.replaced > 0),
    notes: [],
  };
}

function actionOf(
  { controlPlane }: AksState,
  { kind, name, namespace, desired, changes }: PlannedResource,
): readonly object[] {
  if (!desired || changes.length === 0) return [];
  const isCluster = kind === ManagedCluster.kind;
  return [
    {
      controller: isCluster ? "azuremanagedcontrolplane" : "azuremanagedmachinepool",
      object: {
        kind: isCluster ? AzureManagedControlPlane.kind : AzureManagedMachinePool.kind,
        namespace,
        name: isCluster ? controlPlane.metadata.name : name,
      },
      action: "ApplyResource",
      targets: [`${kind}/${name}`],
      detail: { desired, changes },
      why: `${changes.length} ${changes.length === 1 ? "field differs" : "fields differ"} from what Azure Service Operator has`,
    },
  ];
}

function textOf(
  { kind, name, namespace, changes, problem }: PlannedResource,
  course: readonly string[],
  form: Exclude<PlanForm, "json">,
): string {
  const title = `${kind} ${namespace}/${name}`;
  const isMarkdown = form === "markdown";
  const lines =
    problem !== undefined
      ? [`blocked: PatchFailed`, `    ${problem}; the resource stays as it is`]
      : changes.length + course.length === 0
        ? ["nothing to do"]
        : [...changes.map(lineOf), ...course];
  if (!isMarkdown) return `${[title, ...lines.map((line) => `  ${line}`)].join("\n")}\n`;
  return `### ${title}\n\n${lines.map((line) => `- ${line.trim()}\n`).join("")}`;
}

function lineOf({ path, before, after, by, needs }: PlannedChange): string {
  const values = `${valueText(before)} to ${valueText(after)}`;
  const cost = needs === undefined ? "" : `, needs a ${needs}: AKS cannot change it in place`;
  return `${path}: ${values} (by ${by}${cost})`;
}

function valueText(value: unknown): string {
  return value === undefined ? "unset" : JSON.stringify(value);
}
