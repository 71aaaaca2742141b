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

/** A condition to set; its transition time is determined later. */
export type ConditionUpdate = Parameters<Context<KubernetesObject>["setCondition"]>[0];

/** An object with conditions. */
export interface Told {
  status?: { conditions?: readonly Frozen<Condition>[] };
}

/** Mirrors the Ready condition of an object on its owner; without one, the owner waits with this reason. */
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
 * Summarizes conditions in Ready, in place of the runner's condition of a requeued pass. The transition time may be new;
 * if the status is unchanged, the write keeps the stored time.
 */
export function summarize(object: Told, types: readonly string[], nowMs: number): void {
  const others = removeCondition(object.status?.conditions, "Ready");
  const ready = summarizeReady(others, { types, now: nowMs });
  object.status = { ...object.status, conditions: [...(ready ? setCondition(others, ready) : others)] };
}

/** Takes a condition away that speaks only of trouble which is over. */
export function dropCondition(object: Told, type: string): void {
  const conditions = object.status?.conditions;
  if (conditions?.some((one) => one.type === type))
    object.status = { ...object.status, conditions: [...removeCondition(conditions, type)] };
}
