import {
  AzureMachineTemplate,
  Cluster,
  ensureOwnerReference,
  formatFieldError,
  type Frozen,
  type KubernetesObject,
  KubeadmConfigTemplate,
  MachineDeployment,
  MachineSet,
  ownerReferenceTo,
} from "@capstan/api";
import {
  block,
  type CacheReader,
  defineReconciler,
  index,
  isNotFound,
  keyOf,
  next,
  type ObjectName,
  on,
  type Outcome,
  type Reconciler,
  terminal,
  waiting,
} from "@capstan/runtime";
import { referrers } from "../../contract/referrers.ts";
import { COALESCED_MS } from "../../workload/reconcile-interval.ts";
import { report } from "./report.ts";
import { rollOut } from "./rollout.ts";
import { BY_CONTROLLER, buildScope, controllerUids, type Scope } from "./scope.ts";
import { ownTemplates } from "./templates.ts";

const byReference = referrers(MachineDeployment, ({ spec: { template } }) => [
  template.spec.bootstrap.configRef,
  template.spec.infrastructureRef,
]);
const BY_CLUSTER = "deployment-of-cluster";
// A deleted MachineSet enqueues the deployment; this interval covers a missed event.
const DELETION_POLL_MS = 60_000;

/** Moves machines to a new template, a few at a time, by scaling one MachineSet for each template. */
export function machineDeploymentReconciler(): Reconciler {
  return defineReconciler<MachineDeployment, Scope>({
    name: "machinedeployment",
    for: MachineDeployment,
    finalizer: "cluster.x-k8s.io/machinedeployment",
    // A machine that comes up causes several events within milliseconds; together they cost one pass.
    minReconcileIntervalMs: () => COALESCED_MS,
    owns: [MachineSet],
    indexes: [
      index(MachineSet, BY_CONTROLLER, controllerUids),
      byReference.index,
      index(MachineDeployment, BY_CLUSTER, ({ metadata: { namespace }, spec }) => [
        keyOf({ metadata: { name: spec.clusterName, namespace } }),
      ]),
    ],
    watches: [
      ...[AzureMachineTemplate, KubeadmConfigTemplate].map((kind) =>
        on<KubernetesObject>(kind, byReference.of),
      ),
      on(Cluster, toDeployments, { predicate: () => false }),
    ],
    referrersOf: byReference.of,
    scope: buildScope,
    normal: [refuseInvalid, joinCluster, ownTemplates, rollOut],
    deleting: [deleteSets],
    status: report,
  });
}

/** Admission refuses it; one that was stored without admission must not lead to a wrong decision. */
function refuseInvalid({ deployment: object }: Scope): Outcome {
  const invalid = MachineDeployment.validate({ object, old: object }).map(formatFieldError);
  if (invalid.length > 0) throw terminal("InvalidSpec", invalid.join("; "));
  return next;
}

function joinCluster({ deployment, cluster }: Scope): Outcome {
  const { metadata, spec } = deployment;
  if (!cluster) {
    const name = JSON.stringify(spec.clusterName);
    const message = `spec.clusterName: Cluster ${name} does not exist in namespace ${metadata.namespace}`;
    throw waiting("WaitingForCluster", message);
  }
  const references = ensureOwnerReference(metadata.ownerReferences, ownerReferenceTo(cluster));
  metadata.ownerReferences = references.map((one) => ({ ...one }));
  return next;
}

async function deleteSets({ context, deployment, sets }: Scope): Promise<Outcome> {
  const { namespace } = deployment.metadata;
  for (const { metadata } of sets) {
    const { name, uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) continue;
    try {
      await context.client.delete(MachineSet, { name, namespace }, uid === undefined ? {} : { uid });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return sets.length === 0 ? next : block(DELETION_POLL_MS, "WaitingForMachineSetsDeletion");
}

function toDeployments(cluster: Frozen<Cluster>, cache: CacheReader): ObjectName[] {
  return cache
    .list(MachineDeployment, { index: BY_CLUSTER, value: keyOf(cluster) })
    .map(({ metadata }) => metadata);
}
