/** What applying manifests would change on the resources of an AKS cluster, field by field and patch by patch. Pure. */
import {
  type AsoObject,
  CLUSTER_NAME_LABEL,
  deepEqual,
  type Frozen,
  isJsonObject,
  ManagedCluster,
  ManagedClustersAgentPool,
} from "@capstan/api";
import { POLICY_ANNOTATION } from "./reconcile-policy.ts";
import { agentPoolSpec, type ManagedPool } from "./agent-pool.ts";
import { CLUSTER_PATCHES, clusterSpecOf, type DescribedCluster, POOL_PATCHES } from "./desired-cluster.ts";
import { type DesiredObject, objectNameFor } from "./desired-object.ts";
import { currentVersion } from "./managed-cluster.ts";
import { applyPatches } from "./patches/apply-patches.ts";
import { isOnlyOurs } from "./patches/removed-fields.ts";

/** A field that would change. */
export interface PlannedChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The field of the manifests that causes it: the computed spec, or a patch by its index. */
  readonly by: string;
  /** AKS cannot change it in place: a new cluster or pool would be needed. */
  readonly needs?: "new cluster" | "new pool";
}

/** A resource that would be submitted. */
export interface PlannedResource {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** The whole object; undefined when a patch cannot be applied. */
  readonly desired?: DesiredObject;
  readonly changes: readonly PlannedChange[];
  /** Why nothing would be submitted. */
  readonly problem?: string;
}

/** The objects of Azure Service Operator as they are now, and the version in which they are submitted. */
export interface AksState extends DescribedCluster {
  readonly agentPools: readonly Frozen<AsoObject>[];
  readonly version: string;
}

/** Plans the ManagedCluster and its agent pools. */
export function planAks(state: AksState): readonly PlannedResource[] {
  return [planCluster(state), ...state.pools.map((pool) => planPool(state, pool))];
}

function planCluster(state: AksState): PlannedResource {
  const { controlPlane, observed } = state;
  const name = objectNameFor(controlPlane.metadata.name);
  const computed = clusterSpecOf(state);
  const place = { kind: ManagedCluster.kind, name, namespace: controlPlane.metadata.namespace ?? "" };
  if ("problem" in computed) return { ...place, changes: [], problem: computed.problem };
  return plan({
    object: objectOf(state, place, { spec: computed.spec, observed }),
    observed,
    patches: controlPlane.spec.asoManagedClusterPatches ?? [],
    field: CLUSTER_PATCHES,
  });
}

function planPool(state: AksState, { pool, machinePool }: ManagedPool): PlannedResource {
  const name = objectNameFor(pool.metadata.name);
  const observed = state.agentPools.find(({ metadata }) => metadata.name === name);
  const { controlPlane, subscriptionID } = state;
  const spec = agentPoolSpec({
    pool,
    machinePool,
    controlPlane,
    controlPlaneVersion: currentVersion(state.observed) ?? controlPlane.spec.version,
    subscriptionID,
    tags: pool.spec.additionalTags ?? {},
    observed,
  });
  const place = { kind: ManagedClustersAgentPool.kind, name, namespace: pool.metadata.namespace ?? "" };
  return plan({
    object: objectOf(state, place, { spec, observed }),
    observed,
    patches: pool.spec.asoManagedClustersAgentPoolPatches ?? [],
    field: POOL_PATCHES,
  });
}

function objectOf(
  { cluster, version }: AksState,
  { kind, name, namespace }: { readonly kind: string; readonly name: string; readonly namespace: string },
  {
    spec,
    observed,
  }: { readonly spec: Readonly<Record<string, unknown>>; readonly observed: Frozen<AsoObject> | undefined },
): DesiredObject {
  const policy = observed?.metadata.annotations?.[POLICY_ANNOTATION] ?? "skip";
  return {
    apiVersion: `${ManagedCluster.group}/${version}`,
    kind,
    metadata: {
      name,
      namespace,
      labels: { [CLUSTER_NAME_LABEL]: cluster.metadata.name },
      annotations: { [POLICY_ANNOTATION]: policy },
    },
    spec,
  };
}

interface Subject {
  readonly object: DesiredObject;
  readonly observed: Frozen<AsoObject> | undefined;
  readonly patches: readonly string[];
  readonly field: string;
}

function plan({ object, observed, patches, field }: Subject): PlannedResource {
  const { kind, metadata } = object;
  const place = { kind, name: metadata.name, namespace: metadata.namespace };
  const authors = new Map<string, string>();
  let before: DesiredObject = object;
  const result = applyPatches(object, patches, ({ index, object: after }) => {
    for (const { path } of differences(before.spec, after.spec, "spec"))
      authors.set(path, `${field}[${index}]`);
    before = after;
  });
  if ("problem" in result) {
    const { index, message } = result.problem;
    return { ...place, changes: [], problem: `${field}[${index}]: ${message}` };
  }
  const changes = differences(observed?.spec ?? {}, result.object.spec, "spec").flatMap((change) => {
    const { after, path } = change;
    if (after !== undefined || authors.has(path) || !observed)
      return [{ ...change, by: authorOf(authors, path) }];
    return leftOut(observed, change);
  });
  return {
    ...place,
    desired: result.object,
    changes: changes.map((change) => ({ ...change, ...(observed && neededFor(kind, change.path)) })),
  };
}

/** Fields that the controllers have applied and would leave out. Those of Azure or of another client are not sent, and stay. */
function leftOut(
  observed: Frozen<AsoObject>,
  { path, before }: Difference,
): readonly Omit<PlannedChange, "needs">[] {
  return leaves(before, path)
    .filter((leaf) => isOnlyOurs(observed, leaf.path))
    .map((leaf) => ({ ...leaf, after: undefined, by: "spec or a patch that no longer sets it" }));
}

function leaves(before: unknown, path: string): readonly Omit<Difference, "after">[] {
  if (!isJsonObject(before)) return [{ path, before }];
  return Object.entries(before).flatMap(([name, value]) => leaves(value, `${path}.${name}`));
}

/** The patch that last changed a field, or a field that contains it. */
function authorOf(authors: ReadonlyMap<string, string>, path: string): string {
  const segments = path.split(".");
  for (let length = segments.length; length > 0; length--) {
    const author = authors.get(segments.slice(0, length).join("."));
    if (author !== undefined) return author;
  }
  return "spec";
}

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

function differences(before: unknown, after: unknown, path: string): readonly Difference[] {
  if (deepEqual(before, after)) return [];
  if (!isJsonObject(after) || (before !== undefined && !isJsonObject(before)))
    return [{ path, before, after }];
  const old = before ?? {};
  const names = [...new Set([...Object.keys(old), ...Object.keys(after)])].toSorted();
  return names.flatMap((name) => differences(old[name], after[name], `${path}.${name}`));
}

/** Fields that AKS cannot change on a running cluster. */
const FIXED_OF_CLUSTER = [
  "spec.azureName",
  "spec.location",
  "spec.dnsPrefix",
  "spec.nodeResourceGroup",
  "spec.linuxProfile",
  "spec.networkProfile.networkPlugin",
  "spec.networkProfile.serviceCidr",
  "spec.networkProfile.dnsServiceIP",
  "spec.networkProfile.loadBalancerSku",
  "spec.apiServerAccessProfile.enablePrivateCluster",
];

/** Fields that AKS cannot change on a running pool. */
const FIXED_OF_POOL = [
  "spec.azureName",
  "spec.vmSize",
  "spec.osType",
  "spec.osDiskSizeGB",
  "spec.osDiskType",
  "spec.maxPods",
  "spec.availabilityZones",
  "spec.vnetSubnetReference",
  "spec.kubeletConfig",
  "spec.linuxOSConfig",
  "spec.scaleSetPriority",
  "spec.enableUltraSSD",
];

function neededFor(kind: string, path: string): Pick<PlannedChange, "needs"> {
  const isCluster = kind === ManagedCluster.kind;
  const fixed = isCluster ? FIXED_OF_CLUSTER : FIXED_OF_POOL;
  const isFixed = fixed.some((one) => path === one || path.startsWith(`${one}.`));
  return isFixed ? { needs: isCluster ? "new cluster" : "new pool" } : {};
}
