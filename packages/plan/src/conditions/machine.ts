import {
  type Condition,
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  isUpdatingInPlace,
  type Machine,
  type StandardConditionUpdate,
} from "@capstan/api";
import { type CombinedReasons, combineConditions, countedConditions } from "./combine.ts";

/** The facts about a Machine that its own object does not have. */
export interface MachineFacts {
  /** The references whose object does not exist. */
  readonly missing: readonly ("bootstrap" | "infrastructure")[];
  /** Why its deletion waits, if it is being deleted. */
  readonly waitsFor?: Waiting | undefined;
}

interface Waiting {
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a Machine in v1beta2, from those of v1beta1 that the same pass has reported. */
export function machineConditions(
  machine: Frozen<Machine>,
  { missing, waitsFor }: MachineFacts,
): readonly StandardConditionUpdate[] {
  const old = deprecatedConditionsOf(machine);
  const isMissing = (which: MachineFacts["missing"][number]): boolean => missing.includes(which);
  const upToDate = getCondition(old, "UpToDate");
  const conditions = [
    referenceReady("BootstrapConfigReady", getCondition(old, "BootstrapReady"), isMissing("bootstrap")),
    referenceReady(
      "InfrastructureReady",
      getCondition(old, "InfrastructureReady"),
      isMissing("infrastructure"),
    ),
    ...nodeConditions(machine, getCondition(old, "NodeHealthy")),
    ...(upToDate ? [upToDateInV1Beta2(upToDate)] : []),
    updating(machine, getCondition(old, "Updating")),
    deleting(machine, waitsFor),
  ];
  return [...conditions, ready(machine, conditions), available(getCondition(old, "Available"))];
}

/** Cluster API's reasons for those of v1beta1 of a referenced object. A provider's own reason is kept. */
const REFERENCE_REASONS: Readonly<Record<string, string>> = {
  WaitingForBootstrap: "NotReady",
  WaitingForDataSecret: "NotReady",
  WaitingForInfrastructure: "NotReady",
  WaitingForProviderID: "NotReady",
  ReferencedObjectDeleted: "ObjectDeleted",
  DataSecretGiven: "DataSecretProvided",
};

/** The condition of an object that a Machine, a MachinePool or a Cluster refers to. */
export function referenceReady(
  type: string,
  old: Frozen<Condition> | undefined,
  isMissing: boolean,
): StandardConditionUpdate {
  if (!old) return { type, status: "Unknown", reason: "ReadyUnknown", message: "Not observed yet" };
  const { status, reason = "", message = "" } = old;
  const known = REFERENCE_REASONS[reason] ?? (reason || (status === "True" ? "Ready" : "NotReady"));
  return { type, status, reason: isMissing && known === "NotReady" ? "ObjectDoesNotExist" : known, message };
}

/** The reasons of v1beta1 with which a machine waits for its first Node: nothing is known about it yet. */
const WAITING_FOR_NODE: readonly string[] = ["WaitingForNodeRef", "NodeProvisioning"];
const NODE_REASONS: Readonly<Record<string, string>> = {
  NodeNotFound: "NodeDeleted",
  WaitingForNodeRef: "InspectionFailed",
  NodeProvisioning: "InspectionFailed",
};

function nodeConditions(
  { metadata }: Frozen<Machine>,
  old: Frozen<Condition> | undefined,
): readonly StandardConditionUpdate[] {
  if (!old && metadata.deletionTimestamp !== undefined) return [];
  const { status: before, reason = "InspectionFailed", message = "Not observed yet" } = old ?? {};
  const status = before === undefined || WAITING_FOR_NODE.includes(reason) ? "Unknown" : before;
  const names = [
    { type: "NodeHealthy", good: "NodeHealthy", bad: "NodeNotHealthy" },
    { type: "NodeReady", good: "NodeReady", bad: "NodeNotReady" },
  ];
  return names.map(({ type, good, bad }) => {
    if (status === "True") return { type, status, reason: good, message: "" };
    return {
      type,
      status,
      reason: reason === "NodeConditionsFailed" ? bad : (NODE_REASONS[reason] ?? reason),
      message,
    };
  });
}

/** UpToDate in v1beta2, from that of v1beta1. Its reason `Updating` also stands for updaters that wait or have failed. */
export function upToDateInV1Beta2({
  status,
  reason = "",
  message = "",
}: Pick<Frozen<Condition>, "status" | "reason" | "message">): StandardConditionUpdate {
  const known = status === "True" ? "UpToDate" : reason === "NotUpToDate" ? reason : "Updating";
  return { type: "UpToDate", status, reason: known, message };
}

function updating(machine: Frozen<Machine>, old: Frozen<Condition> | undefined): StandardConditionUpdate {
  const type = "Updating";
  if (!isUpdatingInPlace(machine)) return { type, status: "False", reason: "NotUpdating", message: "" };
  const { reason, message = "" } = old ?? {};
  const isFailed = reason === "UpdateFailed";
  return { type, status: "True", reason: isFailed ? "InPlaceUpdateFailed" : "InPlaceUpdating", message };
}

/** Cluster API's stages of a deletion for those of v1beta1. */
const STAGES: Readonly<Record<string, string>> = {
  WaitingExternalHook: "WaitingForPreDrainHook",
  WaitingForInfrastructureDeletion: "WaitingForInfrastructureDeletion",
  WaitingForBootstrapDeletion: "WaitingForBootstrapDeletion",
  WaitingForNodeDeletion: "DeletingNode",
};

function deleting(
  { metadata, status }: Frozen<Machine>,
  waitsFor: Waiting | undefined,
): StandardConditionUpdate {
  const type = "Deleting";
  if (metadata.deletionTimestamp === undefined)
    return { type, status: "False", reason: "NotDeleting", message: "" };
  const { reason = "", message = "The machine is being deleted" } = waitsFor ?? {};
  return { type, status: "True", reason: stageOf(reason, status?.deletion), message };
}

type DeletionTimes = NonNullable<Frozen<Machine>["status"]>["deletion"];

function stageOf(reason: string, times: DeletionTimes): string {
  if (reason === "") return "Deleting";
  const isTerminating = times?.waitForPreTerminateHookStartTime !== undefined;
  if (reason === "WaitingExternalHook" && isTerminating) return "WaitingForPreTerminateHook";
  const isDetaching = times?.waitForNodeVolumeDetachStartTime !== undefined;
  return STAGES[reason] ?? (isDetaching ? "WaitingForVolumeDetach" : "DrainingNode");
}

const READY: CombinedReasons = { True: "Ready", False: "NotReady", Unknown: "ReadyUnknown" };
const SUMMED_UP = ["Deleting", "Updating", "BootstrapConfigReady", "InfrastructureReady", "NodeHealthy"];

function ready(
  machine: Frozen<Machine>,
  conditions: readonly StandardConditionUpdate[],
): StandardConditionUpdate {
  const stored = machine.status?.conditions;
  const gates = machine.spec.readinessGates;
  // Only a machine that a health check selects has its condition.
  const check = getCondition(stored, "HealthCheckSucceeded");
  const counted = [
    ...countedConditions({ types: SUMMED_UP, gates }, conditions, stored),
    ...(check ? [{ name: check.type, condition: check }] : []),
  ];
  return combineConditions("Ready", counted, READY);
}

/** Reasons of v1beta1 that Cluster API knows, too; a Node that takes no pods is Capstan's own. */
const AVAILABILITY: readonly string[] = [
  "Available",
  "NotReady",
  "WaitingForMinReadySeconds",
  "NodeNotSchedulable",
];

function available(old: Frozen<Condition> | undefined): StandardConditionUpdate {
  const { status = "False", reason = "", message = "" } = old ?? {};
  return { type: "Available", status, reason: AVAILABILITY.includes(reason) ? reason : "NotReady", message };
}
