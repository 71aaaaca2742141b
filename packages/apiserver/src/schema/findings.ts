import { type FieldProblem, NO_PATH } from "./problem.ts";
import type { SchemaNode } from "./node.ts";

/** What a validation has found so far, and where it is. */
export interface Findings {
  readonly problems: FieldProblem[];
  /** The names and indexes that lead to the value that is looked at. */
  readonly path: (string | number)[];
  /** The schema that the path begins at. */
  readonly root: SchemaNode;
  /** Where the root is inside the whole object; empty for the object itself. */
  readonly prefix: string;
  /** How many checks went well: of several schemas that do not fit, the one that fits best is reported. */
  matches: number;
}

// A list of a million wrong items would otherwise be answered with a million problems; nobody reads even these.
const PROBLEMS_LIMIT = 1000;

/** Findings about nothing yet. */
export function noFindings(root: SchemaNode, prefix: string): Findings {
  return { problems: [], path: [], root, prefix, matches: 0 };
}

/** Findings about the same value, apart from those made before. */
export function apart(findings: Findings): Findings {
  return { ...findings, problems: [], matches: 0 };
}

/** Adds a problem. */
export function report(findings: Findings, problem: FieldProblem): void {
  if (findings.problems.length < PROBLEMS_LIMIT) findings.problems.push(problem);
}

/** Adds what was found apart. The same problem seen twice is one. */
export function merge(findings: Findings, others: Findings): void {
  findings.matches += others.matches;
  for (const problem of others.problems) {
    const { field, message } = problem;
    if (!findings.problems.some((known) => known.field === field && known.message === message))
      report(findings, problem);
  }
}

/** The path inside the schema, as messages name it. */
export function pathText({ path, root }: Findings): string {
  let text = "";
  for (const step of path) {
    // Names that only `additionalProperties` allows get a dot even when nothing stands before it.
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" && root.properties.has(step) ? step : `.${step}`;
  }
  return text;
}

/** The path in the whole object, as causes name it. */
export function fieldOf(findings: Findings, ...last: readonly string[]): string {
  const inside = [pathText(findings), ...last]
    .filter((part) => part !== "")
    .join(".")
    .replace(/^\./, "");
  if (findings.prefix === "") return inside === "" ? NO_PATH : inside;
  return inside === "" ? findings.prefix : `${findings.prefix}.${inside}`;
}
