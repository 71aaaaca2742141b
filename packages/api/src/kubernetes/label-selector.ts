/** Label selectors: the object form of manifests, the text form of `kubectl -l`, and matching. */
import { type Static, listOf, mapOf, object, optional, string } from "../schema/schema.ts";
import { problemOf } from "../values/problem-of.ts";
import { labelKeyProblems, labelValueProblems } from "./names.ts";
import { type LabelOperator, type LabelRequirement, parseRequirements } from "./label-selector-text.ts";

/** The object form of a selector. */
export const LabelSelector = object(
  "Selects objects by their labels. All conditions must hold; an empty selector selects everything.",
  {
    matchLabels: optional(mapOf("Labels that must have exactly these values.", string("The value."))),
    matchExpressions: optional(
      listOf(
        "Conditions on labels.",
        object("One condition on a label.", {
          key: string("The label."),
          operator: string("How the label relates to the values: In, NotIn, Exists or DoesNotExist."),
          values: optional(listOf("The values; none for Exists and DoesNotExist.", string("A value."))),
        }),
      ),
    ),
  },
  { atomic: true },
);

/** The object form of a selector. */
export type LabelSelector = Static<typeof LabelSelector>;

/** A checked selector: all requirements must hold. Without requirements it selects everything. */
export type Selector = readonly LabelRequirement[];

/** An invalid selector; the message says why. */
export class LabelSelectorError extends Error {
  override readonly name = "LabelSelectorError";
}

/** Parses the text form, such as `a=b,c!=d,e in (x,y),!f`. Throws a LabelSelectorError for anything else. */
export function parseLabelSelector(text: string): Selector {
  const parsed = parseRequirements(text);
  if (typeof parsed === "string") throw new LabelSelectorError(parsed);
  for (const { key } of parsed) {
    const problem = labelKeyProblems(key)[0];
    // Kubernetes checks keys while it parses the text, with a message of their own.
    if (problem !== undefined)
      throw new LabelSelectorError(
        `unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`,
      );
  }
  return checked(parsed);
}

const OBJECT_OPERATORS: readonly string[] = [
  "In",
  "NotIn",
  "Exists",
  "DoesNotExist",
] satisfies LabelOperator[];

/** The part of a selector object that parsing needs; its lists may be frozen. */
export interface LabelSelectorLike {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Checks the object form. Throws a LabelSelectorError if it is invalid. */
export function selectorOf(selector: LabelSelectorLike): Selector {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]): LabelRequirement => ({
    key,
    operator: "In",
    values: [value],
  }));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }): LabelRequirement => {
      if (!OBJECT_OPERATORS.includes(operator)) {
        throw new LabelSelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
      }
      return { key, operator: operator as LabelOperator, values };
    },
  );
  return checked([...labels, ...expressions]);
}

/** The problem of a selector object, or undefined if it is valid. */
export function labelSelectorProblem(selector: LabelSelectorLike): string | undefined {
  return problemOf(LabelSelectorError, () => selectorOf(selector));
}

/** Whether a set of labels satisfies a selector. */
export function selectorMatches(selector: Selector, labels: Readonly<Record<string, string>> = {}): boolean {
  return selector.every((requirement) => requirementHolds(requirement, labels));
}

/** Prints a selector in the text form, in a stable order. */
export function formatSelector(selector: Selector): string {
  return selector
    .toSorted((a, b) => compareText(a.key, b.key))
    .map(formatRequirement)
    .join(",");
}

type Test = (value: string | undefined, values: readonly string[]) => boolean;

const HOLDS: Readonly<Record<LabelOperator, Test>> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  Gt: (value, [limit]) => isWhole(value) && isWhole(limit) && BigInt(value) > BigInt(limit),
  Lt: (value, [limit]) => isWhole(value) && isWhole(limit) && BigInt(value) < BigInt(limit),
};

function requirementHolds(requirement: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const { key, operator, values } = requirement;
  return HOLDS[operator](Object.hasOwn(labels, key) ? labels[key] : undefined, values);
}

function checked(requirements: readonly LabelRequirement[]): Selector {
  for (const requirement of requirements) {
    const problem = requirementProblem(requirement);
    if (problem !== undefined) throw new LabelSelectorError(problem);
  }
  return requirements;
}

function requirementProblem({ key, operator, values }: LabelRequirement): string | undefined {
  const ofKey = labelKeyProblems(key)[0];
  if (ofKey !== undefined) return `key: Invalid value: ${JSON.stringify(key)}: ${ofKey}`;
  const ofCount = countProblem(operator, values);
  if (ofCount !== undefined) return `values: Invalid value: ${JSON.stringify(values)}: ${ofCount}`;
  for (const [index, value] of values.entries()) {
    const ofValue = labelValueProblems(value)[0];
    if (ofValue !== undefined)
      return `values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${ofValue}`;
  }
  return undefined;
}

const NEEDS_VALUES = "for 'in', 'notin' operators, values set can't be empty";
const TAKES_NO_VALUES = "values set must be empty for exists and does not exist";
const NEEDS_A_NUMBER = "for 'Gt', 'Lt' operators, the value must be an integer";

function countProblem(operator: LabelOperator, values: readonly string[]): string | undefined {
  if (operator === "In" || operator === "NotIn") return values.length > 0 ? undefined : NEEDS_VALUES;
  if (operator === "Gt" || operator === "Lt") return isWhole(values[0]) ? undefined : NEEDS_A_NUMBER;
  return values.length === 0 ? undefined : TAKES_NO_VALUES;
}

// A label value has at most 63 characters, so a number in it stays small.
function isWhole(text: string | undefined): text is string {
  return text !== undefined && /^-?[0-9]{1,63}$/.test(text);
}

const PRINTED: Readonly<Record<LabelOperator, (key: string, list: string, single: boolean) => string>> = {
  In: (key, list, single) => (single ? `${key}=${list}` : `${key} in (${list})`),
  NotIn: (key, list, single) => (single ? `${key}!=${list}` : `${key} notin (${list})`),
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
  Gt: (key, list) => `${key}>${list}`,
  Lt: (key, list) => `${key}<${list}`,
};

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  return PRINTED[operator](key, values.toSorted(compareText).join(","), values.length === 1);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
