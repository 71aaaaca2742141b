import { DEFAULT_FEATURES, type Frozen, KubeadmConfig, type Machine } from "@capstan/api";
import { CLONED_FROM_NAME_ANNOTATION } from "../../contract/clone-template.ts";
import { targetOf } from "../../contract/reference.ts";
import { type ControlPlaneView, outdatedReasons } from "@capstan/plan";
import { isNodeReady } from "../../workload/availability.ts";
import type { DecisionScope } from "./in-place/decisions.ts";
import { partsOf } from "./machine-health.ts";
import type { ObservedWorkload } from "./observe.ts";
import type { Scope } from "./scope.ts";
import { type MachineHealth, viewOf } from "./view.ts";

/** The facts about a control plane as the workload cluster and its etcd show them. */
export function observedView(scope: Scope, observed: ObservedWorkload): ControlPlaneView {
  const { controlPlane, cluster, machines, context, certificateProblem } = scope;
  const { etcd, unreachable } = observed;
  const { features = DEFAULT_FEATURES } = scope.shared.ports;
  return viewOf({
    controlPlane,
    cluster,
    machines,
    outdatedOf: (machine) => outdatedOf(scope, machine),
    healthOf: (machine) => healthOf(machine, observed),
    isInPlaceDisabled: !features.InPlaceUpdates,
    etcd,
    ...(unreachable !== undefined && { unreachable }),
    ...(certificateProblem !== undefined && { certificateProblem }),
    nowMs: context.env.clock.now(),
  });
}

/** A machine keeps the name of a Node that is gone: its member of etcd has the same name. */
function healthOf(machine: Frozen<Machine>, observed: ObservedWorkload): MachineHealth {
  const { metadata, status } = machine;
  const node = observed.nodes.get(metadata.name);
  const nodeName = node?.metadata.name ?? status?.nodeRef?.name;
  return {
    ...(nodeName !== undefined && { nodeName }),
    isReachable: node !== undefined && isNodeReady(node),
    parts: partsOf(machine, observed),
  };
}

/** Why a machine differs from the desired state. */
export function outdatedOf(
  { context, controlPlane }: DecisionScope,
  machine: Frozen<Machine>,
): readonly string[] {
  const { cache, env } = context;
  const { name, namespace = "" } = machine.metadata;
  const config = cache.get(KubeadmConfig, {
    name: machine.spec.bootstrap.configRef?.name ?? name,
    namespace,
  });
  const pointer = { reference: machine.spec.infrastructureRef, field: "spec.infrastructureRef", namespace };
  const target = targetOf(pointer);
  // Objects of kinds that the cache does not follow yet count as up to date.
  const infrastructure = context.watch(target.kind) ? cache.get(target.kind, target.name) : undefined;
  const template = infrastructure?.metadata.annotations?.[CLONED_FROM_NAME_ANNOTATION];
  return outdatedReasons(controlPlane, { machine, config, template }, env.clock.now());
}
