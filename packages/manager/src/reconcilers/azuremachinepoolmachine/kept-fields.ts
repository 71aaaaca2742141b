import { type AzureMachinePoolMachine, type Frozen, type Node, type Taint } from "@capstan/api";
import { CORDONED_ANNOTATION, isCordonedByUs } from "../../workload/drain/cordon.ts";

/** The fields that must survive an update in place, as the status stores them. */
export type InstanceUpdate = NonNullable<NonNullable<AzureMachinePoolMachine["status"]>["instanceUpdate"]>;

// Labels that kubelet and cloud provider set: they set them again after the update.
const MACHINE_LABELS: readonly RegExp[] = [
  /^kubernetes\.io\/(hostname|arch|os)$/,
  /^beta\.kubernetes\.io\//,
  /^failure-domain\.beta\.kubernetes\.io\//,
  /^topology\.[a-z0-9.-]*kubernetes\.io\//,
  /^topology\.disk\.csi\.azure\.com\//,
  /^node\.kubernetes\.io\/instance-type$/,
];
const MACHINE_ANNOTATIONS: readonly RegExp[] = [
  /^node\.alpha\.kubernetes\.io\/ttl$/,
  /^volumes\.kubernetes\.io\/controller-managed-attach-detach$/,
  /^csi\.volume\.kubernetes\.io\/nodeid$/,
  /^kubeadm\.alpha\.kubernetes\.io\/cri-socket$/,
  new RegExp(`^${CORDONED_ANNOTATION.replaceAll(".", "\\.")}$`),
];
// Taints that controllers add and remove by the state of the Node.
const PASSING_TAINTS: readonly RegExp[] = [
  /^node\.kubernetes\.io\//,
  /^node\.cloudprovider\.kubernetes\.io\//,
  /^node\.cluster\.x-k8s\.io\//,
];

/** The identity of a Node and the fields that users have set on it, to restore them after the update. */
export function keptFieldsOf(node: Frozen<Node>): Omit<InstanceUpdate, "startedAt" | "modelHash"> {
  const { metadata, status } = node;
  return {
    nodeName: metadata.name,
    nodeUID: metadata.uid ?? "",
    bootID: status?.nodeInfo?.bootID ?? "",
    ...userFieldsOf(node),
  };
}

function userFieldsOf(
  node: Frozen<Node>,
): Pick<InstanceUpdate, "labels" | "annotations" | "taints" | "cordonedByUs"> {
  const { metadata, spec } = node;
  const labels = without(metadata.labels, MACHINE_LABELS);
  const annotations = without(metadata.annotations, MACHINE_ANNOTATIONS);
  const taints = (spec?.taints ?? []).filter(({ key }) => !matches(key, PASSING_TAINTS));
  return {
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(taints.length > 0 && { taints: taints.map((taint) => ({ ...taint })) }),
    // Without the controller's annotation, a user has cordoned the Node, and it must stay cordoned.
    ...(spec?.unschedulable === true && { cordonedByUs: isCordonedByUs(node) }),
  };
}

/** The patch that restores the users' fields; undefined when none is missing. The new Node's own fields stay. */
export function restoring(node: Frozen<Node>, update: Frozen<InstanceUpdate>): object | undefined {
  const labels = missingIn(node.metadata.labels, update.labels);
  const annotations = missingIn(node.metadata.annotations, update.annotations);
  const there = node.spec?.taints ?? [];
  const taints = (update.taints ?? []).filter((taint) => !there.some((one) => isSameTaint(one, taint)));
  const isToBeCordoned = update.cordonedByUs === false && node.spec?.unschedulable !== true;
  const spec = {
    ...(taints.length > 0 && { taints: [...there, ...taints] }),
    ...(isToBeCordoned && { unschedulable: true }),
  };
  const isComplete = [labels, annotations, spec].every((part) => Object.keys(part).length === 0);
  if (isComplete) return undefined;
  // The patch replaces the whole list of taints, so it must fail if another client has changed the Node.
  return { metadata: { resourceVersion: node.metadata.resourceVersion, labels, annotations }, spec };
}

type Texts = Readonly<Record<string, string>>;

function without(texts: Texts | undefined, patterns: readonly RegExp[]): Record<string, string> {
  return Object.fromEntries(Object.entries(texts ?? {}).filter(([name]) => !matches(name, patterns)));
}

function missingIn(texts: Texts | undefined, desired: Texts | undefined): Texts {
  const there = new Set(Object.keys(texts ?? {}));
  return Object.fromEntries(Object.entries(desired ?? {}).filter(([name]) => !there.has(name)));
}

function matches(name: string, patterns: readonly RegExp[]): boolean {
  return patterns.some((pattern) => pattern.test(name));
}

function isSameTaint(left: Frozen<Taint>, right: Frozen<Taint>): boolean {
  return left.key === right.key && left.effect === right.effect;
}
