import { failedCondition, Failure } from "@capstan/runtime";
import type { Decision } from "./operations/decide.ts";
import { normalizedId } from "@capstan/azure";
import type { ResourceFailure } from "./operations/memory.ts";
import { CONDITIONS, type ResourceCondition } from "./model/resource.ts";
import type { Scope } from "./scope.ts";

type ConditionUpdate = Parameters<Scope["context"]["setCondition"]>[0];

/** Sets the condition of every kind of resource and that of the whole network. */
export function setResourceConditions(scope: Scope, decisions: readonly Decision[]): void {
  const failures = [...scope.memory.refused.values()];
  const conditions = CONDITIONS.flatMap((type) => conditionFor(type, decisions, failures) ?? []);
  for (const condition of conditions) scope.context.setCondition(condition);
  const problem = conditions.find(({ severity }) => severity === "Error" || severity === "Warning");
  const first = problem ?? conditions.find(({ status }) => status !== "True");
  const type = "NetworkInfrastructureReady";
  scope.context.setCondition(first ? { ...first, type } : { type, status: "True", reason: "Reconciled" });
}

function conditionFor(
  type: ResourceCondition,
  decisions: readonly Decision[],
  failures: readonly ResourceFailure[],
): ConditionUpdate | undefined {
  const about = decisions.filter(({ resource }) => resource.conditions.includes(type));
  if (about.length === 0) return undefined;
  for (const { resource } of about) {
    const failure = failures.find(({ resourceID }) => normalizedId(resourceID) === normalizedId(resource.id));
    if (failure) return conditionForFailure(type, failure.error);
  }
  const refused = about.find((one) => one.do === "refuse");
  if (refused?.do === "refuse") {
    return {
      type,
      status: "False",
      severity: "Error",
      reason: refused.reason,
      message: `${refused.resource.field}: ${refused.why}`,
    };
  }
  const unready = about.find((one) => one.do !== "keep");
  return unready ? conditionForWork(type, unready) : { type, status: "True", reason: "Reconciled" };
}

function conditionForFailure(type: ResourceCondition, error: Error): ConditionUpdate {
  const failure = error instanceof Failure ? error.failure : "Transient";
  return failedCondition(type, { failure, reason: "Failed", message: error.message });
}

/** The message has no names or reasons that change between passes, so that an unchanged state causes no write. */
function conditionForWork(type: ResourceCondition, decision: Decision): ConditionUpdate {
  const isUpdate = decision.do === "patchTags" || (decision.do === "put" && !decision.isNew);
  return { type, status: "False", severity: "Info", reason: isUpdate ? "Updating" : "Creating" };
}
