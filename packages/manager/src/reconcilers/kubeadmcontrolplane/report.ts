import {
  CONTROL_PLANE_NAME_LABEL,
  compareVersions,
  type Frozen,
  isUpdatingInPlace,
  type KubeadmControlPlane,
  labelValueFor,
  type Machine,
  parseVersion,
  type StandardConditionUpdate,
} from "@capstan/api";
import type { PassSummary } from "@capstan/runtime";
import { countUpdates } from "../../in-place/gauge.ts";
import { type ConditionUpdate, summarize } from "../../contract/ready.ts";
import { remediationOf } from "../../machines/health.ts";
import { worstTroubleOf } from "../../machines/trouble.ts";
import {
  controlPlaneConditions,
  type ControlPlaneView,
  counted,
  countMachines,
  ETCD_MEMBER_HEALTHY,
  type InPlaceHold,
  isHealthy,
  type PartHealth,
  versionsOfMachines,
} from "@capstan/plan";
import { FIELDS_PROPAGATED, reportContest } from "../../machines/propagate.ts";
import { CERTIFICATES_AVAILABLE } from "./certificates.ts";
import { NODE_PART } from "./machine-health.ts";
import type { Scope } from "./scope.ts";
import { withDeprecated } from "../../contract/deprecated-status.ts";

const SUMMED_UP = [
  CERTIFICATES_AVAILABLE,
  "Available",
  "MachinesCreated",
  "MachinesSpecUpToDate",
  "Resized",
  "ControlPlaneComponentsHealthy",
  "EtcdClusterHealthy",
  FIELDS_PROPAGATED,
];

/** Writes the numbers and the conditions of the control plane. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { context, controlPlane, machines, view } = scope;
  if (controlPlane.metadata.deletionTimestamp !== undefined) {
    const message = `Waiting until ${counted(machines.length, "machine")} of the control plane are gone`;
    context.setCondition({ type: "Ready", status: "False", severity: "Info", reason: "Deleting", message });
    controlPlane.status = { ...controlPlane.status, replicas: machines.length };
    claimReady();
    return;
  }
  if (!view) return;
  reportCounts(scope, view);
  countUpdates(scope.shared.updating, controlPlane, machines);
  for (const condition of conditionsOf(scope, view)) context.setCondition(condition);
  reportContest(context, controlPlane, scope.contest);
  const { generation } = controlPlane.metadata;
  controlPlane.status = {
    ...controlPlane.status,
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  summarize(controlPlane, SUMMED_UP, context.env.clock.now());
  claimReady();
}

function reportCounts({ controlPlane, machines }: Scope, view: ControlPlaneView): void {
  const ready = view.machines.filter(({ parts }) => isPartHealthy(parts, NODE_PART)).length;
  const version = lowestVersion(machines);
  const current = view.machines.filter((machine) => !isOutdatedOrUpdating(machine)).length;
  const versions = versionsOfMachines(machines);
  const { versions: _, ...kept } = controlPlane.status ?? {};
  const status = {
    ...kept,
    selector: `${CONTROL_PLANE_NAME_LABEL}=${labelValueFor(controlPlane.metadata.name)}`,
    replicas: machines.length,
    ...countMachines(machines),
    ...(versions.length > 0 && { versions }),
    initialization: { controlPlaneInitialized: view.isInitialized },
    ...(version !== undefined && { version }),
  };
  controlPlane.status = withDeprecated(status, {
    readyReplicas: ready,
    updatedReplicas: current,
    unavailableReplicas: machines.length - ready,
  });
}

/** The conditions of the control plane in v1beta2. */
export function standardConditionsOf(
  controlPlane: Frozen<KubeadmControlPlane>,
  scope: Scope | undefined,
): readonly StandardConditionUpdate[] {
  if (!scope) return [];
  const { machines, plan, view } = scope;
  return controlPlaneConditions(controlPlane, {
    machines,
    isMarked: (machine) => remediationOf(machine) !== undefined,
    outdated: view?.machines.filter(isOutdatedOrUpdating).length,
    blocked: (plan?.blocked ?? []).map(({ why }) => why),
    trouble: worstTroubleOf(machines)?.message,
  });
}

function isOutdatedOrUpdating({ outdated, update }: ControlPlaneView["machines"][number]): boolean {
  return outdated.length > 0 || update !== undefined;
}

function lowestVersion(machines: readonly Frozen<Machine>[]): string | undefined {
  const versions = machines.flatMap((machine) => {
    const { spec, status } = machine;
    // The version of a machine that is being updated is only what its updaters work towards.
    const text = (isUpdatingInPlace(machine) && status?.nodeInfo?.kubeletVersion) || (spec.version ?? "");
    const version = parseVersion(text);
    return version ? [{ text, version }] : [];
  });
  return versions.toSorted((a, b) => compareVersions(a.version, b.version))[0]?.text;
}

function isPartHealthy(parts: readonly PartHealth[], part: string): boolean {
  return parts.some((one) => one.part === part && one.health === "healthy");
}

function conditionsOf(scope: Scope, view: ControlPlaneView): readonly ConditionUpdate[] {
  const { machines } = scope;
  return [
    available(view, machines),
    created(scope),
    upToDate(scope, view),
    resized(view),
    components(view),
    etcd(view),
  ];
}

function falseBecause(
  type: string,
  severity: "Info" | "Warning" | "Error",
  rest: { reason: string; message: string },
): ConditionUpdate {
  return { type, status: "False", severity, ...rest };
}

function available(view: ControlPlaneView, machines: readonly Frozen<Machine>[]): ConditionUpdate {
  const type = "Available";
  if (view.unreachable !== undefined)
    return falseBecause(type, "Error", { reason: "WorkloadClusterUnreachable", message: view.unreachable });
  if (!view.isInitialized) {
    const trouble = worstTroubleOf(machines);
    if (trouble) return falseBecause(type, trouble.severity, trouble);
    const message = "The first machine has not run kubeadm init yet";
    return falseBecause(type, "Info", { reason: "WaitingForKubeadmInit", message });
  }
  if (view.machines.some(isHealthy)) return { type, status: "True", reason: "Available" };
  return falseBecause(type, "Error", {
    reason: "NotAvailable",
    message: "No machine of the control plane is healthy",
  });
}

/** Why the next change does not happen, or that there is none. */
function created({ plan }: Scope): ConditionUpdate {
  const type = "MachinesCreated";
  const block = plan?.blocked.find(({ reason }) => !IN_PLACE_HOLDS.includes(reason));
  if (!block) return { type, status: "True", reason: "MachinesCreated" };
  return falseBecause(type, "Warning", { reason: block.reason, message: block.why });
}

const IN_PLACE_HOLDS: readonly string[] = [
  "ChangesNotCovered",
  "WaitingForApproval",
  "InPlaceUpdatesDisabled",
  "UpdateFailed",
  "UpdatersNotAnswering",
] satisfies readonly InPlaceHold[];

function upToDate({ plan }: Scope, { machines, replicas }: ControlPlaneView): ConditionUpdate {
  const type = "MachinesSpecUpToDate";
  const hold = plan?.blocked.find(({ reason }) => IN_PLACE_HOLDS.includes(reason));
  if (hold) return falseBecause(type, "Warning", { reason: hold.reason, message: hold.why });
  const updating = machines.find(({ update }) => update !== undefined);
  if (updating) {
    const message = `Machine ${updating.name} is being updated in place; its conditions tell how far it is`;
    return falseBecause(type, "Info", { reason: "UpdatingInPlace", message });
  }
  const outdated = machines.filter((one) => one.outdated.length > 0);
  const [first] = outdated;
  if (!first) return { type, status: "True", reason: "MachinesSpecUpToDate" };
  const message = `Rolling ${outdated.length} of ${counted(replicas, "machine")}: ${first.outdated.join("; ")}`;
  return falseBecause(type, "Warning", { reason: "RollingUpdateInProgress", message });
}

function resized({ machines, replicas }: ControlPlaneView): ConditionUpdate {
  const type = "Resized";
  const exist = machines.length;
  if (exist === replicas) return { type, status: "True", reason: "Resized" };
  const size = `to ${counted(replicas, "replica")} (${exist} exist)`;
  return exist < replicas
    ? falseBecause(type, "Warning", { reason: "ScalingUp", message: `Scaling up ${size}` })
    : falseBecause(type, "Warning", { reason: "ScalingDown", message: `Scaling down ${size}` });
}

function components({ machines }: ControlPlaneView): ConditionUpdate {
  return aggregate("ControlPlaneComponents", machines, (part) => part !== ETCD_MEMBER_HEALTHY);
}

function etcd(view: ControlPlaneView): ConditionUpdate {
  const type = "EtcdClusterHealthy";
  if (view.etcd.state === "external") return { type, status: "True", reason: "External" };
  if (view.etcd.state === "unknown")
    return { type, status: "Unknown", reason: "EtcdClusterUnknown", message: view.etcd.why };
  const names = new Set(view.machines.map(({ nodeName }) => nodeName));
  const stray = view.etcd.members.find(({ name }) => !names.has(name));
  if (stray && view.machines.every(({ nodeName }) => nodeName !== undefined)) {
    const message = `etcd member ${stray.name || stray.id} has no machine; it is removed as soon as etcd keeps its quorum without it`;
    return falseBecause(type, "Error", { reason: "EtcdClusterUnhealthy", message });
  }
  return aggregate("EtcdCluster", view.machines, (part) => part === ETCD_MEMBER_HEALTHY);
}

function aggregate(
  name: string,
  machines: ControlPlaneView["machines"],
  isOf: (part: string) => boolean,
): ConditionUpdate {
  const type = `${name}Healthy`;
  const parts = machines.flatMap((machine) =>
    machine.parts.filter(({ part }) => isOf(part)).map((one) => ({ ...one, machine: machine.name })),
  );
  const bad = parts.find(({ health }) => health === "unhealthy");
  if (bad)
    return falseBecause(type, "Error", {
      reason: `${name}Unhealthy`,
      message: `Machine ${bad.machine}: ${bad.why}`,
    });
  const unknown = parts.find(({ health }) => health === "unknown");
  if (!unknown) return { type, status: "True", reason: "Healthy" };
  return {
    type,
    status: "Unknown",
    reason: `${name}Unknown`,
    message: `Machine ${unknown.machine}: ${unknown.why}`,
  };
}
