import {
  type Condition,
  type Frozen,
  getCondition,
  type KubernetesObject,
  removeCondition,
  setCondition,
  summarizeReady,
} from "@capstan/api";
import type { Context } from "@capstan/runtime";
import { type ContractObject, isReady, readyConditionOf } from "./contract-object.ts";

/** A condition to be set; when it changed is found out later. */
export type Mark = Parameters<Context<KubernetesObject>["mark"]>[0];

/** An object whose conditions are told. */
export interface Told extends KubernetesObject {
  status?: { conditions?: Condition[] };
}

/** Repeats on its owner what an object says about being ready; while it says nothing the owner waits for this reason. */
export function mirrorReady(type: string, object: Frozen<ContractObject>, waitingReason: string): Mark {
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
 * Sums conditions up in Ready. A pass that only wants to come back has marked Ready as False by then; that is put back
 * first, so that a Ready which was True all the time does not look as if it had changed.
 */
export function summarize(
  object: Told,
  before: readonly Condition[],
  options: { readonly types: readonly string[]; readonly nowMs: number },
): void {
  const current = object.status?.conditions ?? [];
  const old = getCondition(before, "Ready");
  const base = old ? setCondition(removeCondition(current, "Ready"), old) : removeCondition(current, "Ready");
  const ready = summarizeReady(base, { types: options.types, now: options.nowMs });
  object.status = { ...object.status, conditions: [...(ready ? setCondition(base, ready) : base)] };
}
