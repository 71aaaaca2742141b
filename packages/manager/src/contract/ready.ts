import {
  type Condition,
  type Frozen,
  type Kind,
  kindOf,
  type KubernetesObject,
  removeCondition,
  setCondition,
  summarizeReady,
} from "@capstan/api";
import { type Context, conditionsOf, type Editable, withConditions } from "@capstan/runtime";
import { type ContractObject, isReady, readyConditionOf } from "./contract-object.ts";

/** A condition to set; its transition time is determined later. */
export type ConditionUpdate = Parameters<Context<KubernetesObject>["setCondition"]>[0];

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
export function summarize(object: Editable<WithStatus>, types: readonly string[], nowMs: number): void {
  const others = removeCondition(conditionsOf(kindNamed(object), object), "Ready");
  const ready = summarizeReady(others, { types, now: nowMs });
  setConditions(object, ready ? setCondition(others, ready) : others);
}

/** Takes a condition away that speaks only of trouble which is over. */
export function dropCondition(object: Editable<WithStatus>, type: string): void {
  const before = conditionsOf(kindNamed(object), object);
  const conditions = removeCondition(before, type);
  if (conditions !== before) setConditions(object, conditions);
}

interface WithStatus extends KubernetesObject {
  status?: object;
}

function setConditions(object: Editable<WithStatus>, conditions: readonly Frozen<Condition>[]): void {
  object.status = withConditions(kindNamed(object), object.status, [...conditions]);
}

function kindNamed({ apiVersion, kind }: Frozen<KubernetesObject>): Pick<Kind, "conditionForm"> {
  return kindOf(apiVersion, kind) ?? {};
}
