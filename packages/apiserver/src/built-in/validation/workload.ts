import { selectorMatches, selectorOf } from "@capstan/api";
import {
  type FieldProblem,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../../schema/problem.ts";
import { type Fields, objectIn, textIn } from "../fields.ts";
import { labelProblems, selectorProblems } from "./checks.ts";
import { podSpecProblems } from "./pod.ts";

/** Validates the selector of a workload controller. `noun` is its name in error messages. */
export function ownSelectorProblems(spec: Fields, noun: string): FieldProblem[] {
  const selector = spec["selector"] as Fields | undefined;
  if (!selector) return [requiredValue("spec.selector")];
  const problems = selectorProblems("spec.selector", selector);
  if (isEmpty(selector))
    problems.push(invalidValue("spec.selector", selector, `empty selector is invalid for ${noun}`));
  return problems;
}

function isEmpty(selector: Fields): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.keys(matchLabels as object).length + (matchExpressions as readonly unknown[]).length === 0;
}

/** Whether a selector is valid at all: known operators with the values that they need. */
export function isUsable(spec: Fields): boolean {
  return selectorProblems("", objectIn(spec, "selector")).length === 0;
}

/** Validates the pod template of a workload controller. */
export function templateProblems(spec: Fields, noun: string): FieldProblem[] {
  const template = objectIn(spec, "template");
  const podSpec = objectIn(template, "spec");
  return [
    ...matchProblems(spec),
    ...labelProblems("spec.template.labels", objectIn(objectIn(template, "metadata"), "labels")),
    ...podSpecProblems("spec.template.spec", podSpec),
    ...(textIn(podSpec, "restartPolicy") === "Always"
      ? []
      : [unsupportedValue("spec.template.spec.restartPolicy", podSpec["restartPolicy"], ["Always"])]),
    ...(podSpec["activeDeadlineSeconds"] === undefined
      ? []
      : [
          forbiddenValue(
            "spec.template.spec.activeDeadlineSeconds",
            `activeDeadlineSeconds in ${noun} is not Supported`,
          ),
        ]),
  ];
}

/** A controller that creates pods which its selector does not match would never stop creating them. */
export function matchProblems(spec: Fields): FieldProblem[] {
  const selector = spec["selector"] as Fields | undefined;
  const labels = objectIn(objectIn(spec, "template"), "metadata")["labels"] as
    | Record<string, string>
    | undefined;
  if (selector && (isEmpty(selector) || selectorMatches(selectorOf(selector), labels))) return [];
  const detail = "`selector` does not match template `labels`";
  return [invalidValue("spec.template.metadata.labels", labels ?? null, detail)];
}
