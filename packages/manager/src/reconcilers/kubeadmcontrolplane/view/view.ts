import {
  type Cluster,
  DELETE_MACHINE_ANNOTATION,
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  type KubeadmControlPlane,
  type Machine,
  PRE_TERMINATE_HOOK_PREFIX,
} from "@capstan/api";
import type { ControlPlaneMachine, ControlPlaneView } from "@capstan/plan";
import { PRE_TERMINATE_HOOK_SUCCEEDED } from "../../../machines/conditions.ts";
import { isFalse, remediationOf } from "../../../machines/health.ts";
import { CLEANUP_HOOK } from "../cleanup-hook.ts";
import { inPlaceView, machineUpdate } from "../in-place/update-view.ts";
import {
  parseRecord,
  REMEDIATION_FOR_ANNOTATION,
  REMEDIATION_IN_PROGRESS_ANNOTATION,
} from "../remediation-record.ts";

/** What is known about the Node and the parts of a machine. */
export type MachineHealth = Pick<ControlPlaneMachine, "nodeName" | "isReachable" | "parts">;

/** The inputs of the view of a control plane. */
export interface ViewInput extends Pick<
  ControlPlaneView,
  "etcd" | "unreachable" | "certificateProblem" | "nowMs"
> {
  readonly controlPlane: Frozen<KubeadmControlPlane>;
  readonly cluster: Frozen<Cluster> | undefined;
  readonly machines: readonly Frozen<Machine>[];
  /** Why a machine differs from the desired state. */
  readonly outdatedOf: (machine: Frozen<Machine>) => readonly string[];
  readonly healthOf: (machine: Frozen<Machine>) => MachineHealth;
  /** Whether the feature of updates in place is off. */
  readonly isInPlaceDisabled: boolean;
}

const DEFAULT_HEALTHY_SECONDS = 3600;

/** The facts about a control plane, for its planner. */
export function viewOf(input: ViewInput): ControlPlaneView {
  const { controlPlane, cluster, machines, outdatedOf, healthOf, isInPlaceDisabled, ...observed } = input;
  const inPlace = inPlaceView(controlPlane, { isDisabled: isInPlaceDisabled });
  const { metadata, spec, status } = controlPlane;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    replicas: spec.replicas ?? 1,
    version: spec.version,
    maxSurge: spec.rollout?.strategy?.rollingUpdate?.maxSurge === 0 ? 0 : 1,
    isInitialized: status?.initialization?.controlPlaneInitialized === true,
    failureDomains: failureDomainsOf(cluster),
    machines: machines.map((machine) => machineView(machine, input)),
    ...changesOf(controlPlane),
    ...(inPlace && { inPlace }),
    remediation: policyOf(spec.remediation),
    ...observed,
  };
}

/** The changes that have begun. */
function changesOf({
  metadata,
  status,
}: Frozen<KubeadmControlPlane>): Pick<ControlPlaneView, "creating" | "remediationInProgress"> {
  const inProgress = parseRecord(metadata.annotations?.[REMEDIATION_IN_PROGRESS_ANNOTATION]);
  const creating = status?.creatingMachine;
  return {
    ...(creating !== undefined && { creating }),
    ...(inProgress && { remediationInProgress: inProgress }),
  };
}

function failureDomainsOf(cluster: Frozen<Cluster> | undefined): readonly string[] {
  return (cluster?.status?.failureDomains ?? [])
    .filter(({ controlPlane: isUsable }) => isUsable === true)
    .map(({ name }) => name)
    .toSorted();
}

function policyOf(
  remediation: Frozen<KubeadmControlPlane>["spec"]["remediation"],
): ControlPlaneView["remediation"] {
  const {
    maxRetry,
    retryPeriodSeconds = 0,
    minHealthyPeriodSeconds = DEFAULT_HEALTHY_SECONDS,
  } = remediation ?? {};
  return {
    ...(maxRetry !== undefined && { maxRetry }),
    retryPeriodMs: retryPeriodSeconds * 1000,
    minHealthyPeriodMs: minHealthyPeriodSeconds * 1000,
  };
}

/** What a user or Azure has to change; a condition of severity Info passes by itself. */
function troubleOf(machine: Frozen<Machine>): string | undefined {
  const { status: isReady, severity, message } = getCondition(deprecatedConditionsOf(machine), "Ready") ?? {};
  return isReady === "False" && severity !== "Info" ? message : undefined;
}

function machineView(
  machine: Frozen<Machine>,
  { outdatedOf, healthOf }: Pick<ViewInput, "outdatedOf" | "healthOf">,
): ControlPlaneMachine {
  const { metadata, spec } = machine;
  const { annotations = {} } = metadata;
  const remediation = remediationOf(machine);
  const trouble = troubleOf(machine);
  const update = machineUpdate(machine);
  const remediationFor = parseRecord(annotations[REMEDIATION_FOR_ANNOTATION]);
  const hooks = Object.keys(annotations).filter((name) => name.startsWith(`${PRE_TERMINATE_HOOK_PREFIX}/`));
  return {
    name: metadata.name,
    createdMs: Date.parse(metadata.creationTimestamp ?? ""),
    ...(metadata.deletionTimestamp !== undefined && {
      deletingSinceMs: Date.parse(metadata.deletionTimestamp),
    }),
    ...healthOf(machine),
    ...(trouble !== undefined && { trouble }),
    ...(spec.failureDomain !== undefined && { failureDomain: spec.failureDomain }),
    outdated: outdatedOf(machine),
    ...(update && { update }),
    hasDeleteAnnotation: annotations[DELETE_MACHINE_ANNOTATION] !== undefined,
    ...(remediation && { remediation }),
    waitsForRelease: isFalse(machine, PRE_TERMINATE_HOOK_SUCCEEDED),
    hasHook: hooks.includes(CLEANUP_HOOK),
    otherHooks: hooks.filter((name) => name !== CLEANUP_HOOK),
    ...(remediationFor && { remediationFor }),
  };
}
