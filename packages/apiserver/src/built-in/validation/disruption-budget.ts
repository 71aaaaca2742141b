import { type FieldProblem } from "../../schema/problem.ts";
import type { Draft } from "../../storage/storage.ts";
import { type Fields, objectIn } from "../fields.ts";
import { amountProblems, choiceProblems, invalidStruct, selectorProblems, shareProblems } from "./checks.ts";

/** Validates a PodDisruptionBudget. */
export function disruptionBudgetProblems(draft: Draft): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  return [
    ...(minAvailable === undefined || maxUnavailable === undefined ? [] : [bothProblem(spec)]),
    ...["minAvailable", "maxUnavailable"].flatMap((name) => [
      ...amountProblems(`spec.${name}`, spec[name]),
      ...shareProblems(`spec.${name}`, spec[name]),
    ]),
    ...selectorProblems("spec.selector", objectIn(spec, "selector")),
    ...(policy === undefined
      ? []
      : choiceProblems("spec.unhealthyPodEvictionPolicy", policy, ["AlwaysAllow", "IfHealthyBudget"])),
  ];
}

function bothProblem(spec: Fields): FieldProblem {
  const shown = {
    MinAvailable: spec["minAvailable"],
    Selector: spec["selector"] ?? null,
    MaxUnavailable: spec["maxUnavailable"],
    UnhealthyPodEvictionPolicy: spec["unhealthyPodEvictionPolicy"] ?? null,
  };
  return invalidStruct("spec", shown, "minAvailable and maxUnavailable cannot be both set");
}
