import {
  Cluster,
  deepEqual,
  DEPLOYMENT_NAME_LABEL,
  ExtensionConfig,
  type Frozen,
  Machine,
  MachineDeployment,
  MachineDrainRule,
  MachineSet,
  REVISION_ANNOTATION,
  type StandardConditionUpdate,
} from "@capstan/api";
import { machineConditions } from "@capstan/plan";
import {
  type CacheReader,
  defineReconciler,
  index,
  keyOf,
  type ObjectName,
  on,
  type Reconciler,
} from "@capstan/runtime";
import { type NodeChange, nodeSource } from "../../workload/sources.ts";
import { controlledBy, indexByCluster, indexByController, ofCluster } from "../../contract/indexes.ts";
import { missingReferences } from "../../contract/resolve.ts";
import { referrers } from "../../contract/referrers.ts";
import { machinesByProviderID, machinesWith } from "../../machines/indexes.ts";
import { drainRulesByNamespace } from "../../workload/drain/drain-rules.ts";
import { Refusals } from "../../workload/drain/refusals.ts";
import { COALESCED_MS } from "../../workload/reconcile-interval.ts";
import { rolloutFields } from "../../machines/rollout-fields.ts";
import { MACHINE_FINALIZER } from "../../machines/conditions.ts";
import {
  awaitPreTerminateHooks,
  deleteNode,
  deleteReferences,
  drainNode,
  findNodeToDelete,
  unlessClusterGoes,
} from "./deletion.ts";
import { joinCluster, observeNode, observeReferences } from "./observe.ts";
import { report } from "./report.ts";
import { runUpdaters } from "./update.ts";
import { buildScope, FOLLOWED, type MachinePorts, type Scope } from "./scope.ts";
import { isControlPlaneInitialized } from "../../contract/initialized.ts";

const byReference = referrers(Machine, ({ spec }) => [spec.bootstrap.configRef, spec.infrastructureRef]);
const BY_DEPLOYMENT = "machine-of-deployment";
const BY_UPDATER = "machine-of-updater";
// Draining waits for the API servers of many clusters; a slow one must not block the machines of the others.
const CONCURRENCY = 30;

/**
 * Connects the parts of a machine: its bootstrap config and its infrastructure, of any kind, and its Node. Before its
 * infrastructure is deleted, the Node is drained.
 */
export function machineReconciler(ports: MachinePorts): Reconciler {
  const refusals = new Refusals(ports.clock);
  return defineReconciler<Machine, Scope>({
    name: "machine",
    for: Machine,
    finalizer: MACHINE_FINALIZER,
    concurrency: CONCURRENCY,
    // A machine that comes up causes several events within milliseconds; together they cost one pass.
    minReconcileIntervalMs: () => COALESCED_MS,
    indexes: [
      byReference.index,
      drainRulesByNamespace,
      indexByCluster(Machine),
      indexByController(Machine),
      index(Machine, BY_DEPLOYMENT, ({ metadata: { namespace, labels } }) => {
        const name = labels?.[DEPLOYMENT_NAME_LABEL];
        return name === undefined ? [] : [keyOf({ metadata: { name, namespace } })];
      }),
      index(Machine, BY_UPDATER, ({ spec }) => (spec.updaters ?? []).slice(0, 1)),
      machinesByProviderID,
    ],
    watches: [
      ...FOLLOWED.map((kind) => on(kind, byReference.of)),
      on(Cluster, toMachines, { predicate: mattersToMachines }),
      on(MachineSet, toMachinesOfSet, { predicate: hasOtherMinReadySeconds }),
      on(MachineDeployment, toMachinesOfDeployment, { predicate: startsRollout }),
      on(ExtensionConfig, ({ metadata }, cache) =>
        cache.list(Machine, { index: BY_UPDATER, value: metadata.name }).map((machine) => machine.metadata),
      ),
    ],
    // A machine that drains is requeued anyway.
    reads: [MachineDrainRule],
    referrersOf: byReference.of,
    sources: [nodeSource(ports.workloads, machinesOf)],
    // The phases after a change of the spec already use it.
    reconcileAfterOwnSpecChange: () => false,
    scope: (context) => buildScope({ ports, refusals }, context),
    normal: [joinCluster, observeReferences, observeNode, runUpdaters],
    deleting: [
      ...[findNodeToDelete, drainNode].map(unlessClusterGoes),
      awaitPreTerminateHooks,
      deleteReferences,
      unlessClusterGoes(deleteNode),
    ],
    status: report,
    standardConditions: conditionsOf,
  });
}

function conditionsOf(
  machine: Frozen<Machine>,
  scope: Scope | undefined,
): readonly StandardConditionUpdate[] {
  const missing = missingReferences(scope, ["bootstrap", "infrastructure"]);
  return machineConditions(machine, { missing, waitsFor: scope?.waitsFor });
}

/** The machines of changed Nodes. */
function machinesOf({ cluster, providerIDs }: NodeChange, cache: CacheReader): ObjectName[] {
  return machinesWith(cache, cluster, providerIDs).map(({ metadata }) => metadata);
}

function toMachines(cluster: Frozen<Cluster>, cache: CacheReader): ObjectName[] {
  return ofCluster(cache, Machine, cluster.metadata).map(({ metadata }) => metadata);
}

/** Most changes of a Cluster are counts in its status; its machines wait for its control plane, or for its deletion. */
function mattersToMachines(before: Frozen<Cluster>, after: Frozen<Cluster>): boolean {
  return (
    isControlPlaneInitialized(before) !== isControlPlaneInitialized(after) ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp
  );
}

function toMachinesOfDeployment(deployment: Frozen<MachineDeployment>, cache: CacheReader): ObjectName[] {
  const value = keyOf(deployment);
  return cache.list(Machine, { index: BY_DEPLOYMENT, value }).map(({ metadata }) => metadata);
}

/** Whether machines may be outdated, or up to date again; the revision tells that `spec.rollout.after` has passed. */
function startsRollout(before: Frozen<MachineDeployment>, after: Frozen<MachineDeployment>): boolean {
  const fields = ({ metadata, spec }: Frozen<MachineDeployment>): readonly unknown[] => [
    metadata.annotations?.[REVISION_ANNOTATION],
    rolloutFields(spec.template.spec),
  ];
  return !deepEqual(fields(before), fields(after));
}

function toMachinesOfSet(set: Frozen<MachineSet>, cache: CacheReader): ObjectName[] {
  return controlledBy(cache, Machine, set).map(({ metadata }) => metadata);
}

function hasOtherMinReadySeconds(before: Frozen<MachineSet>, after: Frozen<MachineSet>): boolean {
  return before.spec.template.spec.minReadySeconds !== after.spec.template.spec.minReadySeconds;
}
