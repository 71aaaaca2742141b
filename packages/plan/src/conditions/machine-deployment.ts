import {
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  type MachineDeployment,
  type MachineSet,
  type StandardConditionUpdate,
} from "@capstan/api";
import { counted } from "../rollout/shared/action.ts";
import { combineConditions } from "./combine.ts";
import { deletingCondition, rollingOut, scalingDown, scalingUp } from "./owner.ts";

/** The facts about a MachineDeployment that its own object does not have. */
export interface MachineDeploymentFacts {
  readonly sets: readonly Frozen<MachineSet>[];
  /** Why the rollout does not go on. */
  readonly blocked: readonly string[];
  /** What a user must mend at a machine. */
  readonly trouble: string | undefined;
}

/** The conditions of a MachineDeployment in v1beta2; those about its machines come from its MachineSets. */
export function machineDeploymentConditions(
  deployment: Frozen<MachineDeployment>,
  { sets, blocked, trouble }: MachineDeploymentFacts,
): readonly StandardConditionUpdate[] {
  const isDeleting = deployment.metadata.deletionTimestamp !== undefined;
  const { replicas = 0, deprecated } = deployment.status ?? {};
  const desired = isDeleting ? 0 : (deployment.spec.replicas ?? 1);
  const outdated = isDeleting ? 0 : Math.max(replicas - (deprecated?.v1beta1?.updatedReplicas ?? 0), 0);
  const up = sets.flatMap((set) => causesIn(set, "ScalingUp"));
  return [
    available(deployment, isDeleting, trouble === undefined ? up : [...up, trouble]),
    rollingOut({ outdated, replicas }, [...blocked, ...up]),
    scalingUp({ desired, replicas, blocked: up }),
    scalingDown({ desired, replicas, blocked: [] }),
    aboutMachines("MachinesReady", "Ready", sets),
    aboutMachines("MachinesUpToDate", "UpToDate", sets),
    remediatingSets(sets),
    deletingCondition(deployment, { message: `Deleting ${counted(sets.length, "MachineSet")}` }),
  ];
}

function available(
  deployment: Frozen<MachineDeployment>,
  isDeleting: boolean,
  causes: readonly string[],
): StandardConditionUpdate {
  const type = "Available";
  const old = getCondition(deprecatedConditionsOf(deployment), type);
  if (isDeleting) return { type, status: "False", reason: "NotAvailable", message: "Deletion in progress" };
  if (!old) return { type, status: "Unknown", reason: "AvailableUnknown", message: "Not observed yet" };
  const { status, message: counts = "" } = old;
  if (status === "True") return { type, status, reason: "Available", message: "" };
  const message = [counts, ...causes.map((cause) => `* ${cause}`)].join("\n");
  return { type, status, reason: "NotAvailable", message };
}

/** Why a set creates no machine: the lines below the first one of its condition. */
function causesIn({ status }: Frozen<MachineSet>, type: string): readonly string[] {
  const condition = getCondition(status?.conditions, type);
  if (condition?.status !== "True") return [];
  return condition.message
    .split("\n")
    .slice(1)
    .map((line) => line.replace(/^\* /, ""));
}

function aboutMachines(
  type: "MachinesReady" | "MachinesUpToDate",
  good: "Ready" | "UpToDate",
  sets: readonly Frozen<MachineSet>[],
): StandardConditionUpdate {
  const used = sets.filter(({ status }) => (status?.replicas ?? 0) > 0);
  if (used.length === 0) return { type, status: "True", reason: "NoReplicas", message: "" };
  return combineConditions(
    type,
    used.map(({ metadata, status }) => ({
      name: `MachineSet ${metadata.name}`,
      condition: getCondition(status?.conditions, type),
    })),
    { True: good, False: `Not${good}`, Unknown: `${good}Unknown` },
  );
}

function remediatingSets(sets: readonly Frozen<MachineSet>[]): StandardConditionUpdate {
  const type = "Remediating";
  const said = sets.flatMap(({ status }) => getCondition(status?.conditions, type) ?? []);
  const messages = said.filter(({ status }) => status === "True").map(({ message }) => message);
  if (messages.length === 0) return { type, status: "False", reason: "NotRemediating", message: "" };
  return { type, status: "True", reason: "Remediating", message: messages.join("; ") };
}
