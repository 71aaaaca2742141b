import {
  CLUSTER_NAME_LABEL,
  controllerOf,
  deepEqual,
  type Frozen,
  type Machine,
  type Node,
  OUTDATED_REVISION_TAINT,
  type Taint,
  UNINITIALIZED_TAINT,
} from "@capstan/api";

/** Annotations that Cluster API sets on Nodes, so that users find the machine of a Node. */
const CLUSTER_NAMESPACE_ANNOTATION = "cluster.x-k8s.io/cluster-namespace";
const MACHINE_ANNOTATION = "cluster.x-k8s.io/machine";
const OWNER_KIND_ANNOTATION = "cluster.x-k8s.io/owner-kind";
const OWNER_NAME_ANNOTATION = "cluster.x-k8s.io/owner-name";
/** The labels that the machine has set on its Node, so that a label removed from the machine is removed from the Node. */
const LABELS_ANNOTATION = "cluster.x-k8s.io/labels-from-machine";
/** The taints that the machine has set on its Node. */
const TAINTS_ANNOTATION = "cluster.x-k8s.io/taints-from-machine";

const ROLE_PREFIX = "node-role.kubernetes.io";
const SYNCED_DOMAINS = ["node-restriction.kubernetes.io", "node.cluster.x-k8s.io"];

/**
 * The merge patch that gives a Node the metadata and taints of its Machine; undefined when it has them. Pods avoid the Node of an
 * outdated machine, so that the rollout does not evict the same pod twice.
 */
export function decideNodePatch(
  machine: Frozen<Machine>,
  node: Frozen<Node>,
  isOutdated: boolean,
): object | undefined {
  const { annotations = {}, resourceVersion } = node.metadata;
  const labels = changedLabels(machine, node);
  const changedAnnotations = differing(desiredAnnotations(machine), annotations);
  const taints = [...desiredTaints(machine, node), ...(isOutdated ? [OUTDATED] : [])];
  const areTaintsSame = deepEqual(taints, node.spec?.taints ?? []);
  if (areTaintsSame && isEmpty(labels) && isEmpty(changedAnnotations)) return undefined;
  return {
    // The list of taints is written whole: a taint that another controller adds meanwhile must not be lost.
    metadata: { resourceVersion, labels, annotations: changedAnnotations },
    ...(!areTaintsSame && { spec: { taints } }),
  };
}

/** The labels to set, and as null those that the Machine had before. */
function changedLabels(
  machine: Frozen<Machine>,
  { metadata }: Frozen<Node>,
): Readonly<Record<string, string | null>> {
  const { labels = {}, annotations = {} } = metadata;
  const desired = syncedLabels(machine);
  const removed = listIn(annotations[LABELS_ANNOTATION]).filter(
    (name) => desired[name] === undefined && labels[name] !== undefined,
  );
  return { ...differing(desired, labels), ...nulls(removed) };
}

/** The labels of a Machine that belong on its Node too. */
function syncedLabels({ metadata }: Frozen<Machine>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([name]) => isSynced(name)));
}

function isSynced(name: string): boolean {
  const [prefix = "", rest] = name.split("/");
  if (rest === undefined) return false;
  if (prefix === ROLE_PREFIX) return true;
  return SYNCED_DOMAINS.some((domain) => prefix === domain || prefix.endsWith(`.${domain}`));
}

function desiredAnnotations(machine: Frozen<Machine>): Readonly<Record<string, string>> {
  const { metadata, spec } = machine;
  const owner = controllerOf(machine);
  return {
    [CLUSTER_NAME_LABEL]: spec.clusterName,
    [CLUSTER_NAMESPACE_ANNOTATION]: metadata.namespace ?? "",
    [MACHINE_ANNOTATION]: metadata.name,
    ...(owner && { [OWNER_KIND_ANNOTATION]: owner.kind, [OWNER_NAME_ANNOTATION]: owner.name }),
    [LABELS_ANNOTATION]: Object.keys(syncedLabels(machine)).toSorted().join(","),
    [TAINTS_ANNOTATION]: ownTaints(machine).map(taintId).toSorted().join(","),
  };
}

/** On the Nodes of outdated machines. */
const OUTDATED: Taint = { key: OUTDATED_REVISION_TAINT, effect: "PreferNoSchedule" };

/** The taints of the Node: without those that Cluster API reserves and former taints of the machine, with its present ones. */
function desiredTaints(machine: Frozen<Machine>, { metadata, spec }: Frozen<Node>): readonly Frozen<Taint>[] {
  const former = metadata.annotations?.[TAINTS_ANNOTATION];
  const formerIds = listIn(former);
  const own = ownTaints(machine);
  const ownIds = own.map(taintId);
  const kept = (spec?.taints ?? []).filter((taint) => {
    if (taint.key === UNINITIALIZED_TAINT || taint.key === OUTDATED_REVISION_TAINT) return false;
    const id = taintId(taint);
    return !formerIds.includes(id) || ownIds.includes(id);
  });
  const keptIds = kept.map(taintId);
  const isFirst = former === undefined;
  const added = own.filter(
    (taint) => !keptIds.includes(taintId(taint)) && (isFirst || taint.propagation === "Always"),
  );
  return [...kept, ...added.map(({ propagation: _, ...taint }) => taint)];
}

function ownTaints({ spec }: Frozen<Machine>): NonNullable<Frozen<Machine>["spec"]["taints"]> {
  return spec.taints ?? [];
}

function taintId({ key, effect }: Pick<Frozen<Taint>, "key" | "effect">): string {
  return `${key}:${effect}`;
}

function listIn(text: string | undefined): readonly string[] {
  return text ? text.split(",") : [];
}

function differing(
  desired: Readonly<Record<string, string>>,
  present: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(desired).filter(([name, value]) => present[name] !== value));
}

function nulls(names: readonly string[]): Readonly<Record<string, null>> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

function isEmpty(fields: object): boolean {
  return Object.keys(fields).length === 0;
}
