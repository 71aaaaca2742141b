import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  deepEqual,
  type Frozen,
  Machine,
} from "@capstan/api";
import {
  type CacheReader,
  defineReconciler,
  index,
  type ObjectName,
  on,
  type Phase,
  type Reconciler,
} from "@capstan/runtime";
import { PollBackoff, VirtualMachineLists } from "@capstan/azure";
import { ensureMachine } from "./create.ts";
import { deleteResources } from "./deletion.ts";
import { followOperation, untilAzureAnswers } from "./operations.ts";
import { refuseUnsupported } from "./refuse.ts";
import { type AzureMachinePorts, buildScope, CONTROLLER, prepare, type Scope } from "./scope.ts";
import { refersTo } from "../../contract/reference.ts";

const BY_CLUSTER = "cluster-of-azuremachine";

/**
 * Creates the network interfaces and the virtual machine of an AzureMachine, reports its provider id and addresses, and
 * deletes all of it. A virtual machine is never changed in place, and never created a second time.
 */
export function azureMachineReconciler(ports: AzureMachinePorts): Reconciler {
  const { clock } = ports;
  const shared = { ports, lists: new VirtualMachineLists(clock), pollBackoff: new PollBackoff(clock) };
  return defineReconciler<AzureMachine, Scope>({
    name: CONTROLLER,
    for: AzureMachine,
    // CAPZ's finalizer, so that either can delete what the other has created.
    finalizer: "azuremachine.infrastructure.cluster.x-k8s.io",
    indexes: [
      index(AzureMachine, BY_CLUSTER, ({ metadata: { namespace, labels } }) =>
        labels?.[CLUSTER_NAME_LABEL] === undefined ? [] : [`${namespace}/${labels[CLUSTER_NAME_LABEL]}`],
      ),
    ],
    watches: [
      on(Machine, machineOf, { predicate: changesMachine, isUrgent: true }),
      on(Cluster, ({ metadata: { name, namespace } }, cache) => machinesIn(cache, `${namespace}/${name}`), {
        predicate: (before, after) => isProvisioned(before) !== isProvisioned(after),
      }),
      on(
        AzureCluster,
        ({ metadata: { labels, name, namespace } }, cache) =>
          machinesIn(cache, `${namespace}/${labels?.[CLUSTER_NAME_LABEL] ?? name}`),
        { predicate: (before, after) => before.status?.ready !== after.status?.ready },
      ),
    ],
    // A machine that cannot log in is retried anyway.
    reads: [AzureClusterIdentity],
    // The provider id: nothing follows from it here.
    reconcileAfterOwnSpecChange: () => false,
    alwaysReportsPaused: true,
    scope: (context) => buildScope(shared, context),
    always: [prepare],
    normal: [
      phaseOf("normal", refuseUnsupported),
      phaseOf("normal", untilAzureAnswers(followOperation)),
      phaseOf("normal", untilAzureAnswers(ensureMachine)),
    ],
    deleting: [phaseOf("deleting", deleteResources)],
  });
}

/** A phase for one kind of pass; `prepare` has ended the passes that wait. */
function phaseOf<K extends Scope["kind"]>(
  kind: K,
  phase: Phase<Extract<Scope, { readonly kind: K }>>,
): Phase<Scope> {
  const checked: Phase<Scope> = (scope) => {
    if (scope.kind !== kind)
      throw new TypeError(`${phase.name} needs a ${kind} pass, not a ${scope.kind} one`);
    return phase(scope as Extract<Scope, { readonly kind: K }>);
  };
  // Traces and tests know phases by their names.
  return Object.defineProperty(checked, "name", { value: phase.name });
}

function machinesIn(cache: CacheReader, cluster: string): readonly ObjectName[] {
  return cache.list(AzureMachine, { index: BY_CLUSTER, value: cluster }).map(({ metadata }) => metadata);
}

/** Whether the fields of a Machine that an AzureMachine is made from have changed. */
function changesMachine(before: Frozen<Machine>, after: Frozen<Machine>): boolean {
  const fields = ({ metadata, spec }: Frozen<Machine>): readonly unknown[] => [
    metadata.deletionTimestamp,
    spec.bootstrap.dataSecretName,
    spec.version,
    spec.failureDomain,
  ];
  return !deepEqual(fields(before), fields(after));
}

/** The AzureMachine that a Machine refers to. */
function machineOf({ metadata, spec }: Frozen<Machine>): readonly ObjectName[] {
  const { name } = spec.infrastructureRef;
  const isOurs = refersTo(spec.infrastructureRef, AzureMachine);
  return isOurs && metadata.namespace !== undefined ? [{ name, namespace: metadata.namespace }] : [];
}

function isProvisioned({ status }: Frozen<Cluster>): boolean {
  return status?.initialization?.infrastructureProvisioned === true;
}
