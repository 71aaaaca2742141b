import { getCondition, type StandardConditionUpdate } from "@capstan/api";

/** The part of a condition that a combination reads. */
export interface ConditionState {
  readonly status: "True" | "False" | "Unknown";
  readonly message?: string | undefined;
}

/** A condition that counts in a combination, and the name under which its message is told. */
export interface CountedCondition {
  readonly name: string;
  /** Undefined while no controller has reported it. */
  readonly condition: ConditionState | undefined;
  /** True is bad, as of Deleting. */
  readonly isNegative?: boolean;
}

// True is bad of these conditions of Cluster API.
const NEGATIVE: readonly string[] = ["Deleting", "Updating"];

/** A condition that a user adds to a combination. */
interface Gate {
  readonly conditionType: string;
  readonly polarity?: string;
}

type Conditions = readonly (ConditionState & { readonly type: string })[];

/** The conditions of an object that a summary counts: those that the pass has just decided, else the stored ones. */
export function countedConditions(
  { types, gates = [] }: { readonly types: readonly string[]; readonly gates: readonly Gate[] | undefined },
  decided: Conditions,
  stored: Conditions | undefined,
): readonly CountedCondition[] {
  const own = types.map((type) => ({ type, isNegative: NEGATIVE.includes(type) }));
  const added = gates.map(({ conditionType, polarity }) => ({
    type: conditionType,
    isNegative: polarity === "Negative",
  }));
  return [...own, ...added].map(({ type, isNegative }) => ({
    name: type,
    condition: getCondition(decided, type) ?? getCondition(stored, type),
    isNegative,
  }));
}

/** The reasons of a combined condition. */
export interface CombinedReasons {
  readonly True: string;
  readonly False: string;
  readonly Unknown: string;
}

const NOT_REPORTED: ConditionState = { status: "Unknown", message: "Not reported yet" };
const OPPOSITE = { True: "False", False: "True", Unknown: "Unknown" } as const;

/** Combines conditions in one that is True only if all are good; one that is bad outweighs one that is not known. */
export function combineConditions(
  type: string,
  counted: readonly CountedCondition[],
  reasons: CombinedReasons,
): StandardConditionUpdate {
  const parts = counted.map(({ name, condition = NOT_REPORTED, isNegative = false }) => ({
    status: isNegative ? OPPOSITE[condition.status] : condition.status,
    text: bulleted(name, condition.message || `is ${condition.status}`),
  }));
  const bad = parts.filter(({ status }) => status === "False");
  const unknown = parts.filter(({ status }) => status === "Unknown");
  const status = bad.length > 0 ? "False" : unknown.length > 0 ? "Unknown" : "True";
  const message = [...bad, ...unknown].map(({ text }) => text).join("\n");
  return { type, status, reason: reasons[status], message };
}

/** A line of a message that lists causes. A cause that is a list itself stands below, as in Cluster API's messages. */
export function bulleted(name: string, message: string): string {
  if (!message.startsWith("* ")) return `* ${name}: ${message}`;
  const lines = message.split("\n").map((line) => `  ${line}`);
  return [`* ${name}:`, ...lines].join("\n");
}
