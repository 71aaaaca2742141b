import {
  Cluster,
  deepEqual,
  type Frozen,
  Machine,
  MachineDeployment,
  MachineSet,
  selectorMatches,
  selectorOf,
} from "@capstan/api";
import {
  type CacheReader,
  ContestedFields,
  defineReconciler,
  index,
  next,
  type ObjectName,
  on,
  type Outcome,
  type Reconciler,
} from "@capstan/runtime";
import { requireCluster } from "../../contract/join-cluster.ts";
import { controlledBy, indexByCluster, indexByController, ofCluster } from "../../contract/indexes.ts";
import { referrers } from "../../contract/referrers.ts";
import { orphanNamespaces } from "../../contract/adopt-orphans.ts";
import { setIntervalMsOf } from "../../workload/reconcile-interval.ts";
import { deleteMachines } from "./deletion.ts";
import { checkPreflight } from "./preflight.ts";
import { conditionsOf, report } from "./report.ts";
import { propagateFields } from "./propagate.ts";
import { adoptMachines, answerHealthChecks, scaleMachines } from "./scale.ts";
import { updateInPlace } from "./update-in-place.ts";
import { BY_ORPHAN, buildScope, FOLLOWED, type Scope } from "./scope.ts";

const byReference = referrers(MachineSet, ({ spec: { template } }) => [
  template.spec.bootstrap.configRef,
  template.spec.infrastructureRef,
]);
const BY_NAMESPACE = "set-namespace";
const CONCURRENCY = 10;

/** Maintains a number of equal machines, of any infrastructure and bootstrap kind. */
export function machineSetReconciler(): Reconciler {
  const contested = new ContestedFields();
  return defineReconciler<MachineSet, Scope>({
    name: "machineset",
    for: MachineSet,
    finalizer: "cluster.x-k8s.io/machineset",
    concurrency: CONCURRENCY,
    // A machine that comes up causes several events within milliseconds; together they cost one pass.
    minReconcileIntervalMs: setIntervalMsOf,
    owns: [Machine],
    indexes: [
      indexByController(Machine),
      indexByController(MachineSet),
      index(Machine, BY_ORPHAN, orphanNamespaces),
      byReference.index,
      indexByCluster(MachineSet),
      index(MachineSet, BY_NAMESPACE, ({ metadata }) => [metadata.namespace ?? ""]),
    ],
    watches: [
      ...FOLLOWED.map((kind) => on(kind, byReference.of)),
      on(Machine, toAdopters),
      on(MachineDeployment, setsOfDeployment, { predicate: isLimitChanged }),
      on(Cluster, toSets, { predicate: (before, after) => before.spec.paused !== after.spec.paused }),
    ],
    referrersOf: byReference.of,
    scope: (context) => buildScope(contested, context),
    normal: [
      awaitCluster,
      adoptMachines,
      updateInPlace,
      propagateFields,
      checkPreflight,
      scaleMachines,
      answerHealthChecks,
    ],
    deleting: [deleteMachines],
    status: report,
    standardConditions: conditionsOf,
  });
}

function awaitCluster({ set, cluster }: Scope): Outcome {
  requireCluster(set, cluster);
  return next;
}

/** The deployment writes its sets after each other change. */
function isLimitChanged(
  { spec: before }: Frozen<MachineDeployment>,
  { spec: after }: Frozen<MachineDeployment>,
): boolean {
  // The limit may be a percentage of the replicas.
  return before.replicas !== after.replicas || !deepEqual(before.remediation, after.remediation);
}

function setsOfDeployment(deployment: Frozen<MachineDeployment>, cache: CacheReader): ObjectName[] {
  return controlledBy(cache, MachineSet, deployment).map(({ metadata }) => metadata);
}

function toSets(cluster: Frozen<Cluster>, cache: CacheReader): ObjectName[] {
  return ofCluster(cache, MachineSet, cluster.metadata).map(({ metadata }) => metadata);
}

/** A machine without a controller enqueues the sets that may adopt it. */
function toAdopters(machine: Frozen<Machine>, cache: CacheReader): ObjectName[] {
  return orphanNamespaces(machine).flatMap((value) =>
    cache
      .list(MachineSet, { index: BY_NAMESPACE, value })
      .filter(({ spec }) => selectorMatches(selectorOf(spec.selector), machine.metadata.labels ?? {}))
      .map(({ metadata }) => metadata),
  );
}
