import {
  AzureMachine,
  AzureMachineTemplate,
  Cluster,
  controllerOf,
  ExtensionConfig,
  type Frozen,
  type Kind,
  KubeadmConfig,
  KubeadmControlPlane,
  Machine,
  MachinePool,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import {
  block,
  type CacheReader,
  defineReconciler,
  index,
  next,
  type ObjectName,
  on,
  type Outcome,
  type Reconciler,
  type Source,
  waiting,
} from "@capstan/runtime";
import { type NodeChange, nodeSource } from "../../workload/sources.ts";
import { indexByCluster, indexByController } from "../../contract/indexes.ts";
import { ownTemplates } from "../../contract/own-template.ts";
import { referrers } from "../../contract/referrers.ts";
import { machinesByProviderID, machinesWith } from "../../machines/indexes.ts";
import { changesUpdaters } from "../../in-place/hooks/registry.ts";
import { planControlPlane } from "@capstan/plan";
import { act } from "./act.ts";
import { ensureCertificates } from "./certificates.ts";
import { deleteControlPlane } from "./deletion.ts";
import { EtcdCredentials } from "./etcd-credentials.ts";
import { isInPlace } from "../../in-place/strategy.ts";
import { ensureKubeconfig } from "./kubeconfig.ts";
import { completeCreation } from "./creation.ts";
import { askUpdaters } from "./in-place/decisions.ts";
import { forgetEndedUpdates } from "./in-place/update.ts";
import { observe } from "./observe.ts";
import { reportMachineHealth } from "./report-machine-health.ts";
import { viewFromWorkload } from "./view/view-from-workload.ts";
import { propagateFields } from "./propagate.ts";
import { report, standardConditionsOf } from "./report.ts";
import { buildScope, type KubeadmControlPlanePorts, type Scope } from "./scope.ts";

const byReference = referrers(KubeadmControlPlane, ({ spec }) => [
  spec.machineTemplate.spec.infrastructureRef,
]);
const IN_PLACE = "control-plane-in-place";
/** Capstan's kinds that a control plane clones: watched from the start. */
const CLONED_KINDS: readonly Kind[] = [AzureMachine, KubeadmConfig];
const INFRASTRUCTURE_RETRY_MS = 60_000;

/**
 * Runs the control plane of a cluster on machines: certificates, the first machine with `kubeadm init`, the others with
 * `kubeadm join`, one change at a time and never at the cost of etcd's quorum.
 */
export function kubeadmControlPlaneReconciler(
  ports: KubeadmControlPlanePorts & { readonly clock: Clock },
): Reconciler {
  const updating = ports.metrics?.gauge({
    name: "capstan_control_plane_machines_updating_in_place",
    help: "Machines that updaters work on, and machines whose update has failed, by KubeadmControlPlane.",
    labels: ["namespace", "kubeadmcontrolplane", "state"],
  });
  const shared = { ports, updating, etcdCredentials: new EtcdCredentials(ports.issuer, ports.clock) };
  return defineReconciler<KubeadmControlPlane, Scope>({
    name: "kubeadmcontrolplane",
    for: KubeadmControlPlane,
    finalizer: "kubeadm.controlplane.cluster.x-k8s.io",
    owns: [Machine],
    indexes: [
      byReference.index,
      index(KubeadmControlPlane, IN_PLACE, ({ spec }) =>
        isInPlace(spec.rollout?.strategy) ? [IN_PLACE] : [],
      ),
      indexByController(Machine),
      indexByCluster(Machine),
      indexByCluster(MachinePool),
      machinesByProviderID,
    ],
    watches: [
      on(AzureMachineTemplate, byReference.of),
      on(ExtensionConfig, (_, cache) => controlPlanesInPlace(cache), { predicate: changesUpdaters }),
      on(Cluster, toControlPlane, { predicate: mattersToControlPlane }),
    ],
    // Their Machine changes with the clones.
    reads: [...CLONED_KINDS, MachinePool],
    referrersOf: byReference.of,
    sources: [nodeSource(ports.workloads, controlPlanesOf), answersOf(ports)],
    scope: (context) => buildScope(shared, context),
    normal: [
      requireCluster,
      ownMachineTemplate,
      ensureCertificates,
      ensureKubeconfig,
      propagateFields,
      completeCreation,
      observe,
      askUpdaters,
      planChange,
      forgetEndedUpdates,
      // Before `act`, which ends the pass after a change.
      reportMachineHealth,
      act,
    ],
    deleting: [deleteControlPlane],
    status: report,
    standardConditions: standardConditionsOf,
  });
}

function requireCluster({ cluster, controlPlane }: Scope): Outcome {
  if (!cluster) {
    const { name } = controlPlane.metadata;
    throw waiting(
      "WaitingForCluster",
      `No Cluster refers to KubeadmControlPlane ${name} in spec.controlPlaneRef yet`,
    );
  }
  if (cluster.status?.initialization?.infrastructureProvisioned === true) return next;
  return block(INFRASTRUCTURE_RETRY_MS, "WaitingForClusterInfrastructure");
}

async function ownMachineTemplate({ context, cluster, controlPlane, owner }: Scope): Promise<Outcome> {
  const { namespace = "" } = controlPlane.metadata;
  if (cluster) await ownTemplates(context, cluster, [{ ...owner.infrastructure, namespace }]);
  return next;
}

function planChange(scope: Scope): Outcome {
  const { observed } = scope;
  if (!observed) return next;
  scope.view = viewFromWorkload(scope, observed);
  scope.plan = planControlPlane(scope.view);
  return next;
}

/** The control planes of changed Nodes. */
function controlPlanesOf({ cluster, providerIDs }: NodeChange, cache: CacheReader): ObjectName[] {
  return machinesWith(cache, cluster, providerIDs).flatMap((machine) => {
    const owner = controllerOf(machine);
    return owner?.kind === KubeadmControlPlane.kind ? [{ ...cluster, name: owner.name }] : [];
  });
}

/** An API server that begins to answer enqueues its control plane: `kubeadm init` has come that far. */
function answersOf({ workloads }: KubeadmControlPlanePorts): Source {
  return (enqueue, cache) =>
    workloads.onAnswer((name) => {
      const cluster = cache.get(Cluster, name);
      for (const controlPlane of cluster ? toControlPlane(cluster, cache) : []) enqueue(controlPlane);
    });
}

function toControlPlane({ metadata, spec }: Frozen<Cluster>, cache: CacheReader): ObjectName[] {
  const { kind, name = "" } = spec.controlPlaneRef ?? {};
  const { namespace } = metadata;
  if (kind !== KubeadmControlPlane.kind || !cache.get(KubeadmControlPlane, { name, namespace })) return [];
  return [{ name, ...(namespace !== undefined && { namespace }) }];
}

/** A new updater may make changes that no other one makes. */
function controlPlanesInPlace(cache: CacheReader): ObjectName[] {
  return cache
    .list(KubeadmControlPlane, { index: IN_PLACE, value: IN_PLACE })
    .map(({ metadata }) => metadata);
}

/** Most changes of a Cluster are counts in its status. */
function mattersToControlPlane(before: Frozen<Cluster>, after: Frozen<Cluster>): boolean {
  const facts = ({ metadata, spec, status }: Frozen<Cluster>): string =>
    JSON.stringify([
      spec,
      metadata.deletionTimestamp,
      status?.initialization?.infrastructureProvisioned,
      status?.failureDomains,
    ]);
  return facts(before) !== facts(after);
}
