import { type FieldProblem, forbiddenValue, invalidValue } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, numberIn, objectIn } from "../fields.ts";
import { amountProblems, changeProblems, isNoAmount, negativeProblems, shareProblems } from "./checks.ts";
import { isUsable, ownSelectorProblems, templateProblems } from "./workload.ts";

/** Validates a Deployment. */
export function deploymentProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  return [
    ...negativeProblems("spec", spec, ["replicas"]),
    ...ownSelectorProblems(spec, "deployment"),
    ...selectedTemplateProblems(spec),
    ...strategyProblems(objectIn(spec, "strategy")),
    ...negativeProblems("spec", spec, ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"]),
    ...deadlineProblems(spec),
    ...selectorChangeProblems(spec, old),
  ];
}

/** Validates a ReplicaSet. */
export function replicaSetProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  return [
    ...negativeProblems("spec", spec, ["replicas", "minReadySeconds"]),
    ...ownSelectorProblems(spec, "deployment"),
    ...selectedTemplateProblems(spec),
    ...selectorChangeProblems(spec, old),
  ];
}

function selectedTemplateProblems(spec: Fields): FieldProblem[] {
  return isUsable(spec)
    ? templateProblems(spec, "ReplicaSet")
    : [invalidValue("spec.selector", spec["selector"], "invalid label selector")];
}

function selectorChangeProblems(spec: Fields, old: StoredObject | undefined): FieldProblem[] {
  if (!old) return [];
  const before = objectIn(old, "spec");
  return changeProblems("spec.selector", spec["selector"], before["selector"]);
}

function strategyProblems(strategy: Fields): FieldProblem[] {
  const { type, rollingUpdate } = strategy;
  if (type === "Recreate")
    return rollingUpdate === undefined
      ? []
      : [
          forbiddenValue(
            "spec.strategy.rollingUpdate",
            "may not be specified when strategy `type` is 'Recreate'",
          ),
        ];
  if (type === "RollingUpdate") return rollingUpdateProblems((rollingUpdate ?? {}) as Fields);
  const shown = JSON.stringify({ Type: type, RollingUpdate: rollingUpdate ?? null });
  const message = `Unsupported value: ${shown}: supported values: "Recreate", "RollingUpdate"`;
  return [{ type: "FieldValueNotSupported", field: "spec.strategy", message }];
}

function rollingUpdateProblems({ maxUnavailable, maxSurge }: Fields): FieldProblem[] {
  const at = "spec.strategy.rollingUpdate";
  return [
    ...amountProblems(`${at}.maxUnavailable`, maxUnavailable),
    ...amountProblems(`${at}.maxSurge`, maxSurge),
    ...(isNoAmount(maxUnavailable) && isNoAmount(maxSurge)
      ? [invalidValue(`${at}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...shareProblems(`${at}.maxUnavailable`, maxUnavailable),
  ];
}

function deadlineProblems(spec: Fields): FieldProblem[] {
  const seconds = spec["progressDeadlineSeconds"];
  if (seconds === undefined || Number(seconds) > numberIn(spec, "minReadySeconds")) return [];
  return [invalidValue("spec.progressDeadlineSeconds", seconds, "must be greater than minReadySeconds")];
}
