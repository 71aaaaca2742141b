import {
  type Condition,
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  type MachinePool,
  type StandardConditionUpdate,
} from "@capstan/api";
import { counted } from "../rollout/shared/action.ts";
import { bulleted } from "./combine.ts";
import { referenceReady } from "./machine.ts";
import { deletingCondition, rollingOut, scalingDown, scalingUp } from "./owner.ts";

/** The facts about a MachinePool that its own object does not have. */
export interface MachinePoolFacts {
  /** The references whose object does not exist. */
  readonly missing: readonly ("bootstrap" | "infrastructure")[];
  /** The objects that the deletion waits for. */
  readonly left: readonly string[];
}

/** The conditions of a MachinePool in v1beta2. Cluster API defines more of them than its own controller reports. */
export function machinePoolConditions(
  pool: Frozen<MachinePool>,
  { missing, left }: MachinePoolFacts,
): readonly StandardConditionUpdate[] {
  const old = deprecatedConditionsOf(pool);
  const parts = [
    referenceReady(
      "BootstrapConfigReady",
      getCondition(old, "BootstrapReady"),
      missing.includes("bootstrap"),
    ),
    referenceReady(
      "InfrastructureReady",
      getCondition(old, "InfrastructureReady"),
      missing.includes("infrastructure"),
    ),
    machinesReadyOf(getCondition(old, "ReplicasReady")),
  ];
  const isDeleting = pool.metadata.deletionTimestamp !== undefined;
  const { replicas = 0, upToDateReplicas } = pool.status ?? {};
  const size = { desired: isDeleting ? 0 : (pool.spec.replicas ?? 1), replicas };
  const outdated = isDeleting ? 0 : Math.max(replicas - (upToDateReplicas ?? replicas), 0);
  return [
    ...parts,
    machinesUpToDateOf(outdated, replicas),
    available(pool, outdated, parts),
    rollingOut({ outdated, replicas }, []),
    scalingUp(size),
    scalingDown(size),
    deletingCondition(pool, {
      message: left.length > 0 ? `Waiting until ${left.join(" and ")} are gone` : "",
    }),
  ];
}

function machinesReadyOf(old: Frozen<Condition> | undefined): StandardConditionUpdate {
  const type = "MachinesReady";
  const { status = "Unknown", message = "" } = old ?? {};
  return {
    type,
    status,
    reason: { True: "Ready", False: "NotReady", Unknown: "ReadyUnknown" }[status],
    message,
  };
}

function machinesUpToDateOf(outdated: number, replicas: number): StandardConditionUpdate {
  const type = "MachinesUpToDate";
  if (replicas === 0) return { type, status: "True", reason: "NoReplicas", message: "" };
  if (outdated === 0) return { type, status: "True", reason: "UpToDate", message: "" };
  const message = `Not up to date: ${outdated} of ${counted(replicas, "machine")}`;
  return { type, status: "False", reason: "NotUpToDate", message };
}

function available(
  pool: Frozen<MachinePool>,
  outdated: number,
  parts: readonly StandardConditionUpdate[],
): StandardConditionUpdate {
  const type = "Available";
  if (pool.metadata.deletionTimestamp !== undefined)
    return { type, status: "False", reason: "NotAvailable", message: "Deletion in progress" };
  const desired = pool.spec.replicas ?? 1;
  const { availableReplicas = 0, initialization } = pool.status ?? {};
  // How many machines may be away during a rollout is decided by the infrastructure of the pool.
  const enough = outdated > 0 ? Math.min(1, desired) : desired;
  if (initialization?.infrastructureProvisioned === true && availableReplicas >= enough)
    return { type, status: "True", reason: "Available", message: "" };
  const message = [
    `${availableReplicas} of ${counted(desired, "machine")} are available`,
    ...causesIn(parts),
  ].join("\n");
  return { type, status: "False", reason: "NotAvailable", message };
}

function causesIn(parts: readonly StandardConditionUpdate[]): readonly string[] {
  return parts
    .filter(({ status, message }) => status !== "True" && message !== "")
    .map(({ type, message }) => bulleted(type, message));
}
