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

/** Validates a Job. */
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

/** The server generates the selector of a job, unless the user sets manualSelector. */
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

/** A pod that is always restarted never completes. */
function restartProblems(policy: unknown): FieldProblem[] {
  if (policy === "OnFailure" || policy === "Never") return [];
  const field = "spec.template.spec.restartPolicy";
  return policy === "Always"
    ? [requiredValue(field, 'valid values: "OnFailure", "Never"')]
    : [unsupportedValue(field, policy, ["OnFailure", "Never"])];
}

function jobChangeProblems(spec: Fields, old: Fields): FieldProblem[] {
  // A suspended job has no pods yet, and an indexed job may grow or shrink.
  const isElastic = spec["completionMode"] === "Indexed" && spec["completions"] === spec["parallelism"];
  const fixed = ["selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy"];
  return [
    ...(isElastic ? [] : changeProblems("spec.completions", spec["completions"], old["completions"])),
    ...(old["suspend"] === true ? [] : changeProblems("spec.template", spec["template"], old["template"])),
    ...fixed.flatMap((name) => changeProblems(`spec.${name}`, spec[name], old[name])),
  ];
}
