import {
  AzureMachineTemplate,
  Cluster,
  controllerOf,
  DEPLOYMENT_NAME_LABEL,
  ExtensionConfig,
  formatFieldError,
  type Frozen,
  hasUpdateFailed,
  isUpdatingInPlace,
  type KubernetesObject,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
  MachineSet,
} from "@capstan/api";
import {
  block,
  type CacheReader,
  defineReconciler,
  deleteIfExists,
  index,
  next,
  type ObjectName,
  on,
  type Outcome,
  type Reconciler,
  terminal,
} from "@capstan/runtime";
import { adoptOrphans, orphanNamespaces } from "../../contract/adopt-orphans.ts";
import { ownByCluster, requireCluster } from "../../contract/join-cluster.ts";
import { ownTemplates } from "../../contract/own-template.ts";
import { clusterNameOf, indexByCluster, indexByController, ofCluster } from "../../contract/indexes.ts";
import { referrers } from "../../contract/referrers.ts";
import { deploymentIntervalMsOf } from "../../workload/reconcile-interval.ts";
import { conditionsOf, report } from "./report.ts";
import { awaitUpdaters, rollOut } from "./rollout.ts";
import { templatesOf } from "./set-object.ts";
import { changesUpdaters } from "../../in-place/hooks/registry.ts";
import { isInPlace } from "../../in-place/strategy.ts";
import { BY_ORPHAN, buildScope, type MachineDeploymentPorts, type Scope } from "./scope.ts";

const byReference = referrers(MachineDeployment, ({ spec: { template } }) => [
  template.spec.bootstrap.configRef,
  template.spec.infrastructureRef,
]);
const IN_PLACE = "deployment-in-place";
// Each machine that moves causes several events of its own; an update takes far longer than this.
const IN_PLACE_INTERVAL_MS = 1_200;
// A deleted MachineSet enqueues the deployment; this interval covers a missed event.
const DELETION_POLL_MS = 60_000;

/**
 * Moves machines to a new template, a few at a time: by scaling one MachineSet for each template, or by giving machines that
 * updaters can change from one MachineSet to the other.
 */
export function machineDeploymentReconciler(ports: MachineDeploymentPorts = {}): Reconciler {
  const updating = ports.metrics?.gauge({
    name: "capstan_machines_updating_in_place",
    help: "Machines that updaters work on, and machines whose update has failed, by MachineDeployment.",
    labels: ["namespace", "machinedeployment", "state"],
  });
  return defineReconciler<MachineDeployment, Scope>({
    name: "machinedeployment",
    for: MachineDeployment,
    finalizer: "cluster.x-k8s.io/machinedeployment",
    // A machine that comes up causes several events within milliseconds; together they cost one pass.
    minReconcileIntervalMs: (deployment) =>
      isInPlace(deployment.spec.rollout?.strategy)
        ? IN_PLACE_INTERVAL_MS
        : deploymentIntervalMsOf(deployment.status?.replicas),
    owns: [MachineSet],
    indexes: [
      indexByController(MachineSet),
      index(MachineSet, BY_ORPHAN, orphanNamespaces),
      indexByController(Machine),
      index(MachineDeployment, IN_PLACE, (deployment) =>
        isInPlace(deployment.spec.rollout?.strategy) ? [IN_PLACE] : [],
      ),
      byReference.index,
      indexByCluster(MachineDeployment),
    ],
    watches: [
      ...[AzureMachineTemplate, KubeadmConfigTemplate].map((kind) =>
        on<KubernetesObject>(kind, byReference.of),
      ),
      on(Cluster, toDeployments, { predicate: () => false }),
      on(MachineSet, toAdopters),
      on(Machine, toDeployment, { predicate: changesMoves }),
      on(ExtensionConfig, (_, cache) => deploymentsInPlace(cache), { predicate: changesUpdaters }),
    ],
    referrersOf: byReference.of,
    scope: (context) => buildScope({ ports, updating }, context),
    normal: [refuseInvalid, joinCluster, adoptTemplates, adoptSets, rollOut, awaitUpdaters],
    deleting: [deleteSets],
    status: report,
    standardConditions: conditionsOf,
  });
}

/** Admission refuses it; one that was stored without admission must not lead to a wrong decision. */
function refuseInvalid({ deployment: object }: Scope): Outcome {
  const invalid = MachineDeployment.validate({ object, old: object }).map(formatFieldError);
  if (invalid.length > 0) throw terminal("InvalidSpec", invalid.join("; "));
  return next;
}

/** The deployment of a machine, by its label. */
function toDeployment({ metadata: { labels, namespace } }: Frozen<Machine>): ObjectName[] {
  const name = labels?.[DEPLOYMENT_NAME_LABEL];
  return name === undefined ? [] : [{ name, namespace }];
}

/** Most changes of machines reach the deployment as numbers of its sets; these do not. */
function changesMoves(before: Frozen<Machine>, after: Frozen<Machine>): boolean {
  return (
    controllerOf(before)?.uid !== controllerOf(after)?.uid ||
    isUpdatingInPlace(before) !== isUpdatingInPlace(after) ||
    hasUpdateFailed(before) !== hasUpdateFailed(after)
  );
}

function deploymentsInPlace(cache: CacheReader): ObjectName[] {
  return cache.list(MachineDeployment, { index: IN_PLACE, value: IN_PLACE }).map(({ metadata }) => metadata);
}

function joinCluster({ deployment, cluster }: Scope): Outcome {
  ownByCluster(deployment, requireCluster(deployment, cluster));
  return next;
}

async function adoptTemplates({ context, deployment, cluster }: Scope): Promise<Outcome> {
  if (cluster) await ownTemplates(context, cluster, templatesOf(deployment));
  return next;
}

/** Becomes the controller of MachineSets without one that the selector matches, such as those of a deleted deployment. */
async function adoptSets({ context, deployment }: Scope): Promise<Outcome> {
  const value = deployment.metadata.namespace ?? "";
  const orphans = context.cache.list(MachineSet, { index: BY_ORPHAN, value });
  const isAdopting = await adoptOrphans(context, deployment, { kind: MachineSet, orphans });
  // The plan of the next pass knows them.
  return isAdopting ? block(0, "AdoptingMachineSets") : next;
}

/** The deployments that may adopt a MachineSet: those of its Cluster. */
function toAdopters(set: Frozen<MachineSet>, cache: CacheReader): ObjectName[] {
  if (controllerOf(set)) return [];
  return ofCluster(cache, MachineDeployment, clusterNameOf(set)).map(({ metadata }) => metadata);
}

async function deleteSets({ context, sets }: Scope): Promise<Outcome> {
  for (const { metadata } of sets)
    if (metadata.deletionTimestamp === undefined) await deleteIfExists(context.client, MachineSet, metadata);
  return sets.length === 0 ? next : block(DELETION_POLL_MS, "WaitingForMachineSetsDeletion");
}

function toDeployments(cluster: Frozen<Cluster>, cache: CacheReader): ObjectName[] {
  return ofCluster(cache, MachineDeployment, cluster.metadata).map(({ metadata }) => metadata);
}
