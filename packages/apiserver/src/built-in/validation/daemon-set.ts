import { type FieldProblem, invalidValue, requiredValue } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { type Fields, objectIn } from "../fields.ts";
import { amountProblems, changeProblems, isNoAmount, negativeProblems, shareProblems } from "./checks.ts";
import { isUsable, ownSelectorProblems, templateProblems } from "./workload.ts";

/** Validates a DaemonSet. */
export function daemonSetProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const spec = objectIn(draft, "spec");
  const before = old && objectIn(old, "spec");
  return [
    // Without a selector it selects nothing, which the template then does not match.
    ...(spec["selector"] ? ownSelectorProblems(spec, "daemonset") : []),
    ...(isUsable(spec) ? templateProblems(spec, "DaemonSet") : []),
    ...negativeProblems("spec", spec, ["minReadySeconds"]),
    ...strategyProblems(objectIn(spec, "updateStrategy")),
    ...negativeProblems("spec", spec, ["revisionHistoryLimit"]),
    ...(before ? changeProblems("spec.selector", spec["selector"], before["selector"]) : []),
  ];
}

function strategyProblems({ type, rollingUpdate }: Fields): FieldProblem[] {
  if (type === "OnDelete") return [];
  if (type === "RollingUpdate") return rollingUpdateProblems((rollingUpdate ?? {}) as Fields);
  const shown = JSON.stringify({ Type: type, RollingUpdate: rollingUpdate ?? null });
  const message = `Unsupported value: ${shown}: supported values: "RollingUpdate", "OnDelete"`;
  return [{ type: "FieldValueNotSupported", field: "spec.updateStrategy", message }];
}

/** A pod is replaced either before or after the old one is deleted. */
function rollingUpdateProblems({ maxUnavailable, maxSurge }: Fields): FieldProblem[] {
  const at = "spec.updateStrategy.rollingUpdate";
  const amounts = { maxUnavailable, maxSurge };
  return [
    ...Object.entries(amounts).flatMap(([name, amount]) => amountProblems(`${at}.${name}`, amount)),
    ...Object.entries(amounts).flatMap(([name, amount]) => shareProblems(`${at}.${name}`, amount)),
    ...(!isNoAmount(maxUnavailable) && !isNoAmount(maxSurge)
      ? [invalidValue(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")]
      : []),
    ...(isNoAmount(maxUnavailable) && isNoAmount(maxSurge)
      ? [requiredValue(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0")]
      : []),
  ];
}
