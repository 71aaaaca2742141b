import {
  controllerOf,
  controllerReferenceTo,
  deepCopy,
  deepEqual,
  type Frozen,
  type Kind,
  type KubernetesObject,
  Node,
} from "@capstan/api";
import {
  again,
  type Context,
  defineReconciler,
  index,
  type IndexDefinition,
  next,
  on,
  type Outcome,
  type Reconciler,
} from "@capstan/runtime";
import { DAEMON_TOLERATIONS, daemonSetStatus, decideDaemons } from "./daemon-set.ts";
import {
  currentSetName,
  decideSets,
  deploymentStatus,
  type SetAction,
  TEMPLATE_HASH_LABEL,
} from "./deployment.ts";
import { isActive, tally } from "./pod-state.ts";
import { decideReplicas, replicaSetStatus } from "./replica-set.ts";
import { decideOrdinals, REVISION_LABEL, revisionOf, statefulSetStatus } from "./stateful-set.ts";
import { randomSuffix, templateHash } from "./template-hash.ts";
import {
  DaemonSet,
  Deployment,
  type PodAction,
  type PodTemplate,
  ReplicaSet,
  StatefulSet,
  WorkloadPod,
} from "./workload-kinds.ts";

const OWNER = "owner";
// Each pass reads all pods or nodes of its object, so the changes of this interval share one pass.
const GATHER_MS = { pods: 100, nodes: 1_000 };

const ownerIndex = <T extends KubernetesObject>(kind: Kind<T>): IndexDefinition =>
  index(kind, OWNER, (object) => {
    const uid = controllerOf(object)?.uid;
    return uid === undefined ? [] : [uid];
  });

const podsByOwner = ownerIndex(WorkloadPod);
const setsByOwner = ownerIndex(ReplicaSet);

/** The ReplicaSet controller. */
export const replicaSets: Reconciler = defineReconciler({
  name: "replicasets",
  for: ReplicaSet,
  owns: [WorkloadPod],
  indexes: [podsByOwner],
  scope: (context: Context<ReplicaSet>) => context,
  normal: [
    async (context) => {
      await context.env.clock.sleep(GATHER_MS.pods);
      const set = context.object;
      const pods = ownedBy(context, WorkloadPod);
      const counts = tally(pods.filter(isActive), set.spec.minReadySeconds ?? 0, context.env.clock.now());
      await carryOut(context, set.spec.template, decideReplicas(set.spec.replicas ?? 1, pods));
      await report(context, ReplicaSet, replicaSetStatus(set, pods, counts));
      return requeue(counts.nextMs);
    },
  ],
});

/** The StatefulSet controller. */
export const statefulSets: Reconciler = defineReconciler({
  name: "statefulsets",
  for: StatefulSet,
  owns: [WorkloadPod],
  indexes: [podsByOwner],
  scope: (context: Context<StatefulSet>) => context,
  normal: [
    async (context) => {
      const set = context.object;
      const pods = ownedBy(context, WorkloadPod);
      const counts = tally(pods, set.spec.minReadySeconds ?? 0, context.env.clock.now());
      const labels = { [REVISION_LABEL]: revisionOf(set) };
      await carryOut(context, labelled(set.spec.template, labels), decideOrdinals(set, pods));
      await report(context, StatefulSet, statefulSetStatus(set, pods, counts));
      return requeue(counts.nextMs);
    },
  ],
});

/** The DaemonSet controller. */
export const daemonSets: Reconciler = defineReconciler({
  name: "daemonsets",
  for: DaemonSet,
  owns: [WorkloadPod],
  watches: [on(Node, (_, cache) => cache.list(DaemonSet).map(({ metadata }) => metadata))],
  indexes: [podsByOwner],
  scope: (context: Context<DaemonSet>) => context,
  normal: [
    async (context) => {
      await context.env.clock.sleep(GATHER_MS.nodes);
      const set = context.object;
      const pods = ownedBy(context, WorkloadPod);
      const daemons = { set, nodes: context.cache.list(Node), pods, nowMs: context.env.clock.now() };
      await carryOut(context, daemonTemplate(set), decideDaemons(daemons));
      await report(context, DaemonSet, daemonSetStatus(daemons));
      return requeue(tally(pods, set.spec.minReadySeconds ?? 0, daemons.nowMs).nextMs);
    },
  ],
});

/** The Deployment controller. */
export const deployments: Reconciler = defineReconciler({
  name: "deployments",
  for: Deployment,
  owns: [ReplicaSet],
  indexes: [setsByOwner],
  scope: (context: Context<Deployment>) => context,
  normal: [
    async (context) => {
      const sets = ownedBy(context, ReplicaSet);
      for (const action of decideSets(context.object, sets)) await move(context, action);
      await report(context, Deployment, deploymentStatus(context.object, sets, context.env.clock.now()));
      return next;
    },
  ],
});

function requeue(afterMs: number | undefined): Outcome {
  return afterMs === undefined ? next : again(afterMs, "WaitingForMinReadySeconds");
}

function ownedBy<T extends KubernetesObject>(
  { object, cache }: Context<KubernetesObject>,
  kind: Kind<T>,
): readonly Frozen<T>[] {
  return cache.list(kind, { index: OWNER, value: object.metadata.uid ?? "" });
}

function labelled(template: Frozen<PodTemplate>, labels: Record<string, string>): Frozen<PodTemplate> {
  const { metadata } = template;
  return { ...template, metadata: { ...metadata, labels: { ...metadata?.labels, ...labels } } };
}

function daemonTemplate({ spec }: Frozen<DaemonSet>): Frozen<PodTemplate> {
  const template = labelled(spec.template, { [REVISION_LABEL]: templateHash(spec.template) });
  const tolerations = [...(template.spec.tolerations ?? []), ...DAEMON_TOLERATIONS];
  return { ...template, spec: { ...template.spec, tolerations } };
}

async function carryOut(
  context: Context<KubernetesObject>,
  template: Frozen<PodTemplate>,
  actions: readonly PodAction[],
): Promise<void> {
  const { client, log, object } = context;
  for (const action of actions) {
    log.debug(`${action.type} a pod`, { owner: object.metadata.name, why: action.why });
    if (action.type === "create") await client.create(WorkloadPod, newPod(context, template, action));
    else await client.delete(WorkloadPod, action.pod.metadata, uidOf(action.pod));
  }
}

function newPod(
  { object, env }: Context<KubernetesObject>,
  template: Frozen<PodTemplate>,
  { name, nodeName }: { readonly name?: string; readonly nodeName?: string },
): WorkloadPod {
  const { name: owner, namespace } = object.metadata;
  const spec = deepCopy<PodTemplate["spec"]>(template.spec);
  return {
    apiVersion: WorkloadPod.apiVersion,
    kind: WorkloadPod.kind,
    metadata: {
      ...deepCopy(template.metadata ?? {}),
      name: name ?? `${owner}-${randomSuffix(env.rng("pod-names"))}`,
      ...(namespace !== undefined && { namespace }),
      ownerReferences: [controllerReferenceTo(object)],
    },
    spec: nodeName === undefined ? spec : { ...spec, nodeName },
  };
}

async function move(context: Context<Deployment>, action: SetAction): Promise<void> {
  const { client, log, object } = context;
  log.debug(`${action.type} a ReplicaSet`, { owner: object.metadata.name, why: action.why });
  if (action.type === "create") {
    await client.create(ReplicaSet, newSet(object, action.replicas));
  } else if (action.type === "delete") {
    await client.delete(ReplicaSet, action.set.metadata, uidOf(action.set));
  } else {
    const { resourceVersion } = action.set.metadata;
    const body = { metadata: { resourceVersion }, spec: { replicas: action.replicas } };
    await client.patch(ReplicaSet, action.set.metadata, { type: "merge", body });
  }
}

function newSet(deployment: Frozen<Deployment>, replicas: number): ReplicaSet {
  const { metadata, spec } = deployment;
  const labels = { [TEMPLATE_HASH_LABEL]: templateHash(spec.template) };
  const template = deepCopy<PodTemplate>(labelled(spec.template, labels));
  const matchLabels = { ...spec.selector.matchLabels, ...labels };
  return {
    apiVersion: ReplicaSet.apiVersion,
    kind: ReplicaSet.kind,
    metadata: {
      name: currentSetName(deployment),
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      labels: { ...template.metadata?.labels },
      ownerReferences: [controllerReferenceTo(deployment)],
    },
    spec: {
      replicas,
      selector: { ...deepCopy(spec.selector), matchLabels },
      template,
      ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
    },
  };
}

/** Writes the status if it has changed. */
async function report<T extends KubernetesObject & { status?: object }>(
  { client, object }: Context<T>,
  kind: Kind<T>,
  status: object,
): Promise<void> {
  const known: Readonly<Record<string, unknown>> = { ...object.status };
  // The API server omits most numbers that are 0.
  const isKnown = ([name, value]: [string, unknown]): boolean =>
    deepEqual(known[name] ?? (value === 0 ? 0 : undefined), value);
  if (Object.entries(status).every(isKnown)) return;
  const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status };
  await client.patch(kind, object.metadata, { type: "merge", subresource: "status", body });
}

function uidOf({ metadata }: Frozen<KubernetesObject>): { uid: string } {
  return { uid: metadata.uid ?? "" };
}
