import {
  type Cluster,
  deprecatedConditionsOf,
  type Frozen,
  type KubeadmConfig,
  type KubeadmControlPlane,
  type Machine,
  reportedCondition,
} from "@capstan/api";
import {
  type ControlPlaneView,
  ETCD_MEMBER_HEALTHY,
  type EtcdView,
  type Health,
  outdatedReasons,
  type PartHealth,
} from "@capstan/plan";
import { NODE_HEALTHY } from "../../../machines/conditions.ts";
import { desiredKey } from "../in-place/desired-key.ts";
import { NODE_PART, POD_PARTS } from "../machine-health.ts";
import { type MachineHealth, viewOf } from "./view.ts";

/** The stored objects of a control plane. */
export interface StoredControlPlane {
  readonly controlPlane: Frozen<KubeadmControlPlane>;
  readonly cluster: Frozen<Cluster> | undefined;
  readonly machines: readonly Frozen<Machine>[];
  /** The KubeadmConfigs of the machines, as far as they are given. */
  readonly configs: readonly Frozen<KubeadmConfig>[];
  /** The name of the template that the infrastructure of a machine was cloned from, if it is known. */
  readonly templateOf?: (machine: Frozen<Machine>) => string | undefined;
  readonly nowMs: number;
}

/**
 * The facts about a control plane as its controller last wrote them to the conditions of its machines: for plans without a
 * workload cluster. Which member leads etcd is not among them.
 */
export function viewFromConditions({
  controlPlane,
  cluster,
  machines,
  configs,
  templateOf,
  nowMs,
}: StoredControlPlane): ControlPlaneView {
  const isExternal = controlPlane.spec.kubeadmConfigSpec?.clusterConfiguration?.etcd?.external !== undefined;
  const configOf = ({ metadata, spec }: Frozen<Machine>): Frozen<KubeadmConfig> | undefined =>
    configs.find(
      (one) =>
        one.metadata.name === (spec.bootstrap.configRef?.name ?? metadata.name) &&
        one.metadata.namespace === metadata.namespace,
    );
  return viewOf({
    controlPlane,
    cluster,
    machines,
    outdatedOf: (machine) => {
      const objects = { machine, config: configOf(machine), template: templateOf?.(machine) };
      const reasons = outdatedReasons(controlPlane, objects, nowMs);
      return reasons.length > 0 ? reasons : decidedReasons(controlPlane, machine);
    },
    healthOf: (machine) => healthOf(machine, isExternal),
    isInPlaceDisabled:
      deprecatedConditionsOf(controlPlane)?.some(({ reason }) => reason === "InPlaceUpdatesDisabled") ??
      false,
    etcd: isExternal ? { state: "external" } : membersOf(machines),
    nowMs,
  });
}

function healthOf(machine: Frozen<Machine>, isExternal: boolean): MachineHealth {
  const { status } = machine;
  const nodeName = status?.nodeRef?.name;
  const parts = POD_PARTS.filter((part) => !isExternal || part !== "EtcdPodHealthy").map((part) =>
    partOf(machine, part, part),
  );
  const node = partOf(machine, NODE_PART, NODE_HEALTHY);
  return {
    ...(nodeName !== undefined && { nodeName }),
    isReachable: node.health === "healthy",
    parts: [
      node,
      ...parts,
      ...(isExternal ? [] : [partOf(machine, ETCD_MEMBER_HEALTHY, ETCD_MEMBER_HEALTHY)]),
    ],
  };
}

const HEALTH: Readonly<Record<string, Health>> = { True: "healthy", False: "unhealthy" };

function partOf(machine: Frozen<Machine>, part: string, type: string): PartHealth {
  const condition = reportedCondition(machine, type);
  const why = condition?.message ?? `the machine has no condition ${type} yet`;
  return { part, health: HEALTH[condition?.status ?? ""] ?? "unknown", why };
}

/** A machine has a member if a condition reports on it. Ids are not stored, so names stand for them. */
function membersOf(machines: readonly Frozen<Machine>[]): EtcdView {
  const members = machines.flatMap((machine) => {
    const name = machine.status?.nodeRef?.name;
    const hasMember = reportedCondition(machine, ETCD_MEMBER_HEALTHY) !== undefined;
    return name === undefined || !hasMember ? [] : [{ id: name, name, isLearner: false, hasAlarm: false }];
  });
  return { state: "known", members, leader: undefined };
}

/** The controller also sees objects that a dump lacks: a machine that it asked updaters about is outdated. */
function decidedReasons(
  controlPlane: Frozen<KubeadmControlPlane>,
  { metadata }: Frozen<Machine>,
): readonly string[] {
  const { inPlace } = controlPlane.status ?? {};
  if (inPlace?.key !== desiredKey(controlPlane)) return [];
  const decision = inPlace.decisions.find(({ machine }) => machine === metadata.name);
  return decision ? [decision.message ?? "updaters were asked about it"] : [];
}
