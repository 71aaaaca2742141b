import { apart, type Findings, merge, pathText, report } from "./findings.ts";
import { goQuote } from "./go-text.ts";
import type { Combined, SchemaNode } from "./node.ts";
import { invalidValue, NO_PATH } from "./problem.ts";

/** Checks the value against one schema, and adds the problems to the given findings. */
type Check = (findings: Findings, branch: SchemaNode) => void;

/** Checks a value against the schemas of `allOf`, `anyOf`, `oneOf` and `not`. */
export function checkCombined(findings: Findings, combined: Combined, check: Check): void {
  const { anyOf, oneOf, allOf, not } = combined;
  if (anyOf.length > 0) checkAny(findings, anyOf, check);
  if (oneOf.length > 0) checkOne(findings, oneOf, check);
  if (allOf.length > 0) checkAll(findings, allOf, check);
  if (not && fits(outcome(findings, not, check))) reportWhole(findings, "must not validate the schema (not)");
}

function checkAny(findings: Findings, branches: readonly SchemaNode[], check: Check): void {
  let best: Findings | undefined;
  for (const branch of branches) {
    const found = outcome(findings, branch, check);
    if (fits(found)) {
      findings.matches += found.matches;
      return;
    }
    best = better(best, found);
  }
  reportWhole(findings, "must validate at least one schema (anyOf)");
  if (best) merge(findings, best);
}

function checkOne(findings: Findings, branches: readonly SchemaNode[], check: Check): void {
  const outcomes = branches.map((branch) => outcome(findings, branch, check));
  const fitting = outcomes.filter(fits);
  const [first] = fitting;
  if (fitting.length === 1 && first) {
    findings.matches += first.matches;
    return;
  }
  const count = first ? `Found ${fitting.length} valid alternatives` : "Found none valid";
  reportWhole(findings, `must validate one and only one schema (oneOf). ${count}`);
  const best = first ? undefined : outcomes.reduce<Findings | undefined>(better, undefined);
  if (best) merge(findings, best);
}

function checkAll(findings: Findings, branches: readonly SchemaNode[], check: Check): void {
  const outcomes = branches.map((branch) => outcome(findings, branch, check));
  for (const found of outcomes) merge(findings, found);
  const fitting = outcomes.filter(fits).length;
  if (fitting === branches.length) return;
  reportWhole(findings, `must validate all the schemas (allOf)${fitting === 0 ? ". None validated" : ""}`);
}

function outcome(findings: Findings, branch: SchemaNode, check: Check): Findings {
  const found = apart(findings);
  check(found, branch);
  return found;
}

function fits({ problems }: Findings): boolean {
  return problems.length === 0;
}

/** Of two schemas that do not fit, the one with more passed checks gives the better message. */
function better(best: Findings | undefined, found: Findings): Findings {
  return best && best.matches >= found.matches ? best : found;
}

/** A problem of several schemas together has no path of its own: only its text names it. */
function reportWhole(findings: Findings, what: string): void {
  const field = findings.prefix === "" ? NO_PATH : findings.prefix;
  report(findings, invalidValue(field, "", `${goQuote(pathText(findings))} ${what}`));
}
