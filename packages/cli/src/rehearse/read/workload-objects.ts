import { deepCopy, isJsonObject, type JsonObject, type KubernetesObject } from "@capstan/api";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { fieldOf, metadataOf, ownersOf, textOf } from "./owned-objects.ts";

/** The pods of a workload cluster as their owners make them, and what is assumed about them. */
export interface ReadWorkload {
  readonly objects: readonly KubernetesObject[];
  readonly assumptions: readonly string[];
}

const OWNERS: readonly string[] = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"];
const BUDGET = "PodDisruptionBudget";
/** What ties a pod to machines of the real cluster, which the grown ones are not. */
const PLACEMENT = [
  "nodeName",
  "nodeSelector",
  "affinity",
  "topologySpreadConstraints",
  "volumes",
  "schedulerName",
];
/** Labels that differ between the pods of one owner. */
const OWN_LABELS =
  /^(statefulset\.kubernetes\.io\/pod-name|apps\.kubernetes\.io\/pod-index|batch\.kubernetes\.io\/|controller-uid|job-name)/;

/** Reads what a rehearsal needs of a workload cluster: owners of pods, pods without one of these, and disruption budgets. */
export function readWorkload(objects: readonly GivenObject[]): ReadWorkload {
  const given = new Set(
    objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`),
  );
  const owners = objects.filter((one) => OWNERS.includes(one.kind) && !isOwnedByGiven(one, given));
  const budgets = objects.filter(({ kind }) => kind === BUDGET);
  const pods = objects.filter((one) => one.kind === "Pod" && isDrained(one) && !isOwnedByGiven(one, given));
  const made = podOwners(pods);
  return {
    objects: [...owners.map(createdOwner), ...made, ...budgets.map(createdBudget)],
    assumptions: [
      ...(made.length > 0
        ? [`the owners of ${pods.length} pods are not given: as many pods with these labels are kept`]
        : []),
      "pods run on any node with room: node selectors, affinity and volumes are left out",
    ],
  };
}

function isOwnedByGiven(object: GivenObject, given: ReadonlySet<string>): boolean {
  return ownersOf(object).some(({ kind, name }) => given.has(`${kind}/${object.metadata.namespace}/${name}`));
}

/** Pods that have ended, those of DaemonSets and those of static files are not evicted. */
function isDrained(pod: GivenObject): boolean {
  const phase = textOf(pod, "status", "phase");
  const isMirror = textOf(metadataOf(pod), "annotations", "kubernetes.io/config.mirror") !== undefined;
  const isDaemon = ownersOf(pod).some(({ kind }) => kind === "DaemonSet" || kind === "Node");
  return phase !== "Succeeded" && phase !== "Failed" && !isMirror && !isDaemon;
}

function createdOwner(object: GivenObject): KubernetesObject {
  const { apiVersion, kind, metadata } = object;
  const spec = deepCopy(object["spec"]);
  const template = fieldOf(spec, "template", "spec");
  if (isJsonObject(template))
    for (const field of PLACEMENT) delete (template as Record<string, unknown>)[field];
  if (isJsonObject(spec)) delete (spec as Record<string, unknown>)["volumeClaimTemplates"];
  return created({ apiVersion, kind, metadata }, spec);
}

function createdBudget({ apiVersion, kind, metadata, ...rest }: GivenObject): KubernetesObject {
  return created({ apiVersion, kind, metadata }, rest["spec"]);
}

function created(
  { apiVersion, kind, metadata }: Pick<GivenObject, "apiVersion" | "kind" | "metadata">,
  spec: unknown,
): KubernetesObject {
  const { name, namespace = "default" } = metadata;
  const { labels } = metadata as { readonly labels?: unknown };
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, ...(isJsonObject(labels) && { labels }) },
    spec,
  } as unknown as KubernetesObject;
}

/** A ReplicaSet for the pods of each owner that is not given. */
function podOwners(pods: readonly GivenObject[]): readonly KubernetesObject[] {
  const byOwner = Map.groupBy(pods, (pod) => {
    const owner = ownersOf(pod).find(({ controller }) => controller === true);
    return `${pod.metadata.namespace ?? "default"}/${owner?.name ?? pod.metadata.name}`;
  });
  return [...byOwner].flatMap(([key, these]) => {
    const [pod] = these;
    const [namespace = "", name = ""] = key.split("/");
    return pod ? [replicaSet(pod, { namespace, name, replicas: these.length })] : [];
  });
}

function replicaSet(
  pod: GivenObject,
  {
    namespace,
    name,
    replicas,
  }: { readonly namespace: string; readonly name: string; readonly replicas: number },
): KubernetesObject {
  // Two owners may have pods with the same labels: each ReplicaSet selects by its own name, too.
  const labels = {
    ...ownLabels(metadataOf(pod)["labels"]),
    "capstan.dev/rehearsed-owner": name.slice(0, 63),
  };
  const {
    containers = [{ name: "main", image: "unknown" }],
    terminationGracePeriodSeconds,
    tolerations,
  } = (pod["spec"] ?? {}) as Record<string, unknown>;
  const spec = {
    containers: Array.isArray(containers) ? containers.map(bareContainer) : containers,
    ...(terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }),
    ...(tolerations !== undefined && { tolerations }),
  };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { namespace, name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  } as unknown as KubernetesObject;
}

function bareContainer(container: unknown): unknown {
  if (!isJsonObject(container)) return container;
  const { name, image, resources } = container;
  return { name, image, ...(isJsonObject(resources) && { resources }) };
}

function ownLabels(labels: unknown): JsonObject {
  if (!isJsonObject(labels)) return {};
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !OWN_LABELS.test(key)));
}
