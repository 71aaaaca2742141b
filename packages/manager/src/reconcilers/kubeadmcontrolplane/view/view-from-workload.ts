import { DEFAULT_FEATURES, type Frozen, type Machine } from "@capstan/api";
import type { ControlPlaneView } from "@capstan/plan";
import { isNodeReady } from "../../../workload/availability.ts";
import { partHealthOf } from "../machine-health.ts";
import type { ObservedWorkload } from "../observe.ts";
import type { Scope } from "../scope.ts";
import { type MachineHealth, viewOf } from "./view.ts";

/** The facts about a control plane as the workload cluster and its etcd show them. */
export function viewFromWorkload(scope: Scope, observed: ObservedWorkload): ControlPlaneView {
  const { controlPlane, cluster, machines, context, certificateProblem } = scope;
  const { etcd, unreachable } = observed;
  const { features = DEFAULT_FEATURES } = scope.shared.ports;
  return viewOf({
    controlPlane,
    cluster,
    machines,
    outdatedOf: ({ metadata }) => scope.outdated.get(metadata.name) ?? [],
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
    parts: partHealthOf(machine, observed),
  };
}
