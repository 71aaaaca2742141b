import {
  type Condition,
  type Frozen,
  type KubernetesObject,
  removeCondition,
  setCondition,
  summarizeReady,
} from "@capstan/api";
import type { Context } from "@capstan/runtime";
import { type ContractObject, isReady, readyConditionOf } from "./contract-object.ts";

/** A condition to be set; when it changed is found out later. */
export type ConditionUpdate = Parameters<Context<KubernetesObject>["setCondition"]>[0];

/** An object whose conditions are told. */
export interface Told {
  status?: { conditions?: readonly Frozen<Condition>[] };
}

/** Repeats on its owner what an object says about being ready; while it says nothing the owner waits for this reason. */
export function mirrorReady(
  type: string,
  object: Frozen<ContractObject>,
  waitingReason: string,
): ConditionUpdate {
  const said = readyConditionOf(object);
  if (!said) {
    return isReady(object)
      ? { type, status: "True", reason: "Ready" }
      : { type, status: "False", severity: "Info", reason: waitingReason };
  }
  const { status, severity, message } = said;
  return {
    type,
    status,
    reason: said.reason || (status === "True" ? "Ready" : waitingReason),
    ...(severity && { severity }),
    ...(message && { message }),
  };
}

/**
 * Sums conditions up in Ready, in the place of what the runner says about a pass that only wants to come back. The time
 * of the transition may come out new; where the status is the one that is stored, the stored time is kept when it is written.
 */
export function summarize(object: Told, types: readonly string[], nowMs: number): void {
  const others = removeCondition(object.status?.conditions, "Ready");
  const ready = summarizeReady(others, { types, now: nowMs });
  object.status = { ...object.status, conditions: [...(ready ? setCondition(others, ready) : others)] };
}
