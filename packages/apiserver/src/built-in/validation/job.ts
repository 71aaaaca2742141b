import { deepEqual } from "@capstan/api";
import { type FieldProblem, invalidValue, requiredValue, unsupportedValue } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn } from "../fields.ts";
import { changeProblems, choiceProblems, negativeProblems } from "./checks.ts";
import { JOB_UID_LABEL } from "../preparation/job.ts";
import { podSpecProblems } from "./pod.ts";
import { matchProblems } from "./workload.ts";

const COUNTS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "maxFailedIndexes",
];

/** Says what is wrong with a Job. */
export function jobProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  const podSpec = objectIn(objectIn(spec, "template"), "spec");
  return [
    ...negativeProblems("spec", spec, COUNTS),
    ...choiceProblems("spec.completionMode", spec["completionMode"], ["NonIndexed", "Indexed"]),
    ...selectorProblems(spec, draft.metadata.uid),
    ...podSpecProblems("spec.template.spec", podSpec),
    ...restartProblems(podSpec["restartPolicy"]),
    ...(old ? jobChangeProblems(spec, objectIn(old, "spec")) : []),
  ];
}

/** The selector of a job is made by the server, unless somebody insists on another. */
function selectorProblems(spec: Fields, uid: string | undefined): FieldProblem[] {
  const selector = objectIn(spec, "selector");
  const isOwn = deepEqual(selector, { matchLabels: { [JOB_UID_LABEL]: uid } });
  return [
    ...(isOwn || spec["manualSelector"] === true
      ? []
      : [invalidValue("spec.selector", selector, "`selector` not auto-generated")]),
    ...matchProblems(spec),
  ];
}

/** A pod that is always started again never comes to its end. */
function restartProblems(policy: unknown): FieldProblem[] {
  if (policy === "OnFailure" || policy === "Never") return [];
  const field = "spec.template.spec.restartPolicy";
  return policy === "Always"
    ? [requiredValue(field, 'valid values: "OnFailure", "Never"')]
    : [unsupportedValue(field, policy, ["OnFailure", "Never"])];
}

function jobChangeProblems(spec: Fields, old: Fields): FieldProblem[] {
  // A job that waits has no pods yet, and those with an index may become more or fewer.
  const isElastic = spec["completionMode"] === "Indexed" && spec["completions"] === spec["parallelism"];
  const fixed = ["selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy"];
  return [
    ...(isElastic ? [] : changeProblems("spec.completions", spec["completions"], old["completions"])),
    ...(old["suspend"] === true ? [] : changeProblems("spec.template", spec["template"], old["template"])),
    ...fixed.flatMap((name) => changeProblems(`spec.${name}`, spec[name], old[name])),
  ];
}
