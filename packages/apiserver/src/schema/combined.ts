import { apart, type Findings, merge, pathText, report } from "./findings.ts";
import { goQuote } from "./go-text.ts";
import type { Combined, SchemaNode } from "./node.ts";
import { invalidValue, NO_PATH } from "./problem.ts";
import { type Change, check } from "./validate.ts";

/** Checks a value against the schemas that stand beside its own. */
export function checkCombined(findings: Findings, combined: Combined, change: Change): void {
  const { anyOf, oneOf, allOf, not } = combined;
  findings.matches++;
  if (anyOf.length > 0) checkAny(findings, anyOf, change);
  if (oneOf.length > 0) checkOne(findings, oneOf, change);
  if (allOf.length > 0) checkAll(findings, allOf, change);
  if (not && fits(outcome(findings, not, change)))
    reportWhole(findings, "must not validate the schema (not)");
}

function checkAny(findings: Findings, branches: readonly SchemaNode[], change: Change): void {
  let best: Findings | undefined;
  for (const branch of branches) {
    const found = outcome(findings, branch, change);
    if (fits(found)) {
      findings.matches += found.matches;
      return;
    }
    best = better(best, found);
  }
  reportWhole(findings, "must validate at least one schema (anyOf)");
  if (best) merge(findings, best);
}

function checkOne(findings: Findings, branches: readonly SchemaNode[], change: Change): void {
  const outcomes = branches.map((branch) => outcome(findings, branch, change));
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

function checkAll(findings: Findings, branches: readonly SchemaNode[], change: Change): void {
  const outcomes = branches.map((branch) => outcome(findings, branch, change));
  for (const found of outcomes) merge(findings, found);
  const fitting = outcomes.filter(fits).length;
  if (fitting === branches.length) return;
  reportWhole(findings, `must validate all the schemas (allOf)${fitting === 0 ? ". None validated" : ""}`);
}

function outcome(findings: Findings, branch: SchemaNode, change: Change): Findings {
  const found = apart(findings);
  check(found, branch, change);
  return found;
}

function fits({ problems }: Findings): boolean {
  return problems.length === 0;
}

/** Of two schemas that do not fit, the one with more checks passed tells the writer more. */
function better(best: Findings | undefined, found: Findings): Findings {
  return best && best.matches >= found.matches ? best : found;
}

/** A problem of several schemas together has no path of its own: only its text says where. */
function reportWhole(findings: Findings, what: string): void {
  const field = findings.prefix === "" ? NO_PATH : findings.prefix;
  report(findings, invalidValue(field, "", `${goQuote(pathText(findings))} ${what}`));
}
