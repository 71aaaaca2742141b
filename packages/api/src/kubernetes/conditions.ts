/** Pure functions over the `conditions` of a status. Each returns the same list when nothing changes. */
import { boundedText } from "../values/bounded-text.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type Condition, MESSAGE_LIMIT, REASON_LIMIT } from "./condition.ts";
import { formatTimestamp } from "./timestamp.ts";

/** The severity of a condition that is False. */
export type Severity = "Error" | "Warning" | "Info";

type Conditions = readonly Readonly<Condition>[];

/** The new state of a condition. */
export interface ConditionUpdate {
  /** The reason, in CamelCase. */
  readonly reason: string;
  /** The reason, for people. */
  readonly message?: string;
  /** The time of the observation, in milliseconds. */
  readonly now: number;
}

/** The new state of a condition that is False. */
export interface FalseConditionUpdate extends ConditionUpdate {
  readonly severity: Severity;
}

/** The condition of a type, if there is one. */
export function getCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  // A loop, because `find` takes four times as long in a frozen list, and passes over a pool search thousands of those.
  for (const condition of conditions ?? []) if (condition.type === type) return condition;
  return undefined;
}

/** Whether the condition of a type exists and is True. */
export function isTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
): boolean {
  return getCondition(conditions, type)?.status === "True";
}

/** Sets a condition to True. */
export function markTrue(
  conditions: Conditions | undefined,
  type: string,
  update: ConditionUpdate,
): Conditions {
  return setCondition(conditions, marked(type, "True", update));
}

/** Sets a condition to False, with a severity. */
export function markFalse(
  conditions: Conditions | undefined,
  type: string,
  update: FalseConditionUpdate,
): Conditions {
  return setCondition(conditions, { ...marked(type, "False", update), severity: update.severity });
}

/** Sets a condition to Unknown. */
export function markUnknown(
  conditions: Conditions | undefined,
  type: string,
  update: ConditionUpdate,
): Conditions {
  return setCondition(conditions, marked(type, "Unknown", update));
}

/**
 * Puts a condition into the list, in place of one of the same type.
 *
 * The transition time changes only with the status: a new message about the same status is not a transition.
 */
export function setCondition<C extends Readonly<Condition>>(
  conditions: readonly C[] | undefined,
  condition: C,
): readonly C[] {
  const list = conditions ?? [];
  const old = getCondition(list, condition.type);
  const bounded = withinLimits(condition);
  const kept =
    old?.status === bounded.status && !isFromFuture(old, bounded)
      ? { ...bounded, lastTransitionTime: old.lastTransitionTime }
      : bounded;
  if (old && deepEqual(old, kept)) return list;
  return [...list.filter(({ type }) => type !== condition.type), kept].sort(compareConditions);
}

/** Cuts and cleans texts: they may come from Azure or a workload cluster, and the server refuses a status with one that is too long. */
function withinLimits<C extends Readonly<Condition>>(condition: C): C {
  const { reason, message } = condition;
  const fits =
    (reason === undefined || boundedText(reason, REASON_LIMIT) === reason) &&
    (message === undefined || boundedText(message, MESSAGE_LIMIT) === message);
  if (fits) return condition;
  return {
    ...condition,
    ...(reason !== undefined && { reason: boundedText(reason, REASON_LIMIT) }),
    ...(message !== undefined && { message: boundedText(message, MESSAGE_LIMIT) }),
  };
}

/** How far a time may be in the future before it is corrected: more than synchronized clocks differ. */
export const CLOCK_SKEW_MS = 5 * 60_000;

/** Whether a clock that was far ahead wrote the time: with it, no condition would ever seem to have lasted. */
function isFromFuture(old: Readonly<Condition>, now: Readonly<Condition>): boolean {
  return Date.parse(old.lastTransitionTime) - Date.parse(now.lastTransitionTime) > CLOCK_SKEW_MS;
}

/** Removes a condition from the list. */
export function removeCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  const list = conditions ?? [];
  return getCondition(list, type) ? list.filter((condition) => condition.type !== type) : list;
}

interface DeprecatedConditions {
  readonly deprecated?: { readonly v1beta1?: { readonly conditions?: Conditions } };
}

/** An object of a kind whose `status.conditions` has the form of v1beta2. */
interface WithDeprecatedConditions {
  readonly status?: DeprecatedConditions | undefined;
}

/** An object of any kind. */
interface WithConditions {
  readonly status?: (DeprecatedConditions & { readonly conditions?: Conditions }) | undefined;
}

/** The conditions in the form of v1beta1, of an object of a kind whose `status.conditions` has the form of v1beta2. */
export function deprecatedConditionsOf({ status }: WithDeprecatedConditions): Conditions | undefined {
  return status?.deprecated?.v1beta1?.conditions;
}

/** A condition that both forms have under one name: the newer one, or the older one of an object that only v1beta1 has reported on. */
export function reportedCondition(
  { status }: WithConditions,
  type: string,
): Pick<Condition, "status" | "message"> | undefined {
  return (
    getCondition(status?.conditions, type) ?? getCondition(status?.deprecated?.v1beta1?.conditions, type)
  );
}

/** The conditions in the form of v1beta1, of an object of any kind. */
export function olderConditionsOf(object: WithConditions | undefined): Conditions | undefined {
  const { status } = object ?? {};
  return status?.deprecated?.v1beta1?.conditions ?? status?.conditions;
}

/** How to summarize conditions. */
export interface SummaryOptions {
  /** The types to consider, the most important first; all of them if absent. */
  readonly types?: readonly string[];
  /** Types that are good when they are False. */
  readonly negative?: readonly string[];
  readonly now: number;
}

/**
 * Summarizes the other conditions in one Ready condition; undefined if there is nothing to summarize.
 *
 * The worst one decides, and the message names it. Cluster API ranks a True above an Unknown, which hides that a
 * condition has not been observed yet; here it is the other way round.
 */
export function summarizeReady(
  conditions: Conditions | undefined,
  options: SummaryOptions,
): Condition | undefined {
  const { types, negative = [], now } = options;
  const order = types ?? [];
  const candidates = (conditions ?? [])
    .filter(({ type }) => type !== "Ready" && (types === undefined || types.includes(type)))
    .map((condition) => (negative.includes(condition.type) ? negated(condition) : condition))
    .sort(
      (a, b) =>
        rank(a) - rank(b) || placeIn(order, a.type) - placeIn(order, b.type) || compareConditions(a, b),
    );
  const worst = candidates[0];
  if (!worst) return undefined;
  if (worst.status === "True") return marked("Ready", "True", { reason: "Ready", now });
  const reason = worst.reason ?? worst.type;
  const message = worst.message ? `${worst.type}: ${worst.message}` : `${worst.type} is ${worst.status}`;
  const ready = marked("Ready", worst.status, { reason, message, now });
  return worst.status === "False" ? { ...ready, severity: worst.severity || "Error" } : ready;
}

function marked(type: string, status: Condition["status"], update: ConditionUpdate): Condition {
  const { reason, message, now } = update;
  return {
    type,
    status,
    lastTransitionTime: formatTimestamp(now),
    reason,
    ...(message !== undefined && { message }),
  };
}

function negated(condition: Readonly<Condition>): Condition {
  if (condition.status === "True") return { severity: "Error", ...condition, status: "False" };
  return condition.status === "False" ? { ...condition, status: "True" } : condition;
}

const SEVERITIES: readonly string[] = ["Error", "Warning", "Info"] satisfies Severity[];

/** The lower, the worse. A False without a known severity counts as an error. */
function rank(condition: Readonly<Condition>): number {
  if (condition.status === "True") return SEVERITIES.length + 1;
  if (condition.status === "Unknown") return SEVERITIES.length;
  return Math.max(SEVERITIES.indexOf(condition.severity ?? ""), 0);
}

function placeIn(order: readonly string[], type: string): number {
  const place = order.indexOf(type);
  return place < 0 ? order.length : place;
}

/** Ready first, the others by name. */
function compareConditions(a: Readonly<Condition>, b: Readonly<Condition>): number {
  if (a.type === b.type) return 0;
  if (a.type === "Ready") return -1;
  if (b.type === "Ready") return 1;
  return a.type < b.type ? -1 : 1;
}
