import { deprecatedConditionsOf, type Frozen, getCondition, type Machine } from "@capstan/api";
import { NODE_NOT_JOINED } from "../workload/overdue-join.ts";

/** Why a machine needs a user, as a condition of its owner says it. */
interface MachineTrouble {
  readonly severity: "Error" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/**
 * The worst trouble among machines, for a condition of their owner; undefined while none needs a user. A machine that
 * boots, or whose Node is not Ready for a moment, is not in trouble: its owner would be written for each.
 */
export function worstTroubleOf(machines: readonly Frozen<Machine>[]): MachineTrouble | undefined {
  const troubled = machines.flatMap((machine) => {
    const ready = getCondition(deprecatedConditionsOf(machine), "Ready");
    if (ready?.status !== "False") return [];
    const { severity, reason = "NotReady", message = "" } = ready;
    if (severity !== "Error" && reason !== NODE_NOT_JOINED) return [];
    const grade: MachineTrouble["severity"] = severity === "Error" ? severity : "Warning";
    return [{ severity: grade, reason, message: `Machine ${machine.metadata.name}: ${message}` }];
  });
  const byMessage = troubled.toSorted((a, b) => (a.message < b.message ? -1 : 1));
  return byMessage.find(({ severity }) => severity === "Error") ?? byMessage[0];
}
