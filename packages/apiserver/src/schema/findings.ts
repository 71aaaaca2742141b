import { type FieldProblem, NO_PATH } from "./problem.ts";
import type { SchemaNode } from "./node.ts";

/** The problems that a validation has found so far, and its current position. */
export interface Findings {
  readonly problems: FieldProblem[];
  /** The names and indexes that lead to the current value. */
  readonly path: (string | number)[];
  /** The schema at the start of the path. */
  readonly root: SchemaNode;
  /** The path of the root inside the whole object; empty for the object itself. */
  readonly prefix: string;
  /** How many checks have passed: of several schemas that do not fit, the best match is reported. */
  matches: number;
}

/** Without a limit, a list of a million invalid items would be answered with a million problems. */
export const PROBLEMS_LIMIT = 1000;

/** Empty findings. */
export function noFindings(root: SchemaNode, prefix: string): Findings {
  return { problems: [], path: [], root, prefix, matches: 0 };
}

/** Separate findings about the same value. */
export function apart(findings: Findings): Findings {
  return { ...findings, problems: [], matches: 0 };
}

/** Adds a problem. */
export function report(findings: Findings, problem: FieldProblem): void {
  if (findings.problems.length < PROBLEMS_LIMIT) findings.problems.push(problem);
}

/** Adds separate findings. The same problem is reported once. */
export function merge(findings: Findings, others: Findings): void {
  findings.matches += others.matches;
  for (const problem of others.problems) {
    const { field, message } = problem;
    if (!findings.problems.some((known) => known.field === field && known.message === message))
      report(findings, problem);
  }
}

/** The path inside the schema, as messages show it. */
export function pathText({ path, root }: Findings): string {
  let text = "";
  for (const step of path) {
    // Names that only `additionalProperties` allows get a dot even at the start.
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" && root.properties.has(step) ? step : `.${step}`;
  }
  return text;
}

/** The path in the whole object, as causes show it. */
export function fieldOf(findings: Findings, ...last: readonly string[]): string {
  const inside = [pathText(findings), ...last]
    .filter((part) => part !== "")
    .join(".")
    .replace(/^\./, "");
  if (findings.prefix === "") return inside === "" ? NO_PATH : inside;
  return inside === "" ? findings.prefix : `${findings.prefix}.${inside}`;
}
