import { Failure } from "@capstan/runtime";
import type { Decision } from "./decide.ts";
import { normalizedId } from "../../azure/normalized-id.ts";
import type { ResourceFailure } from "./memory.ts";
import { CONDITIONS, type ResourceCondition } from "./resource.ts";
import type { Scope } from "./scope.ts";

type Mark = Parameters<Scope["context"]["mark"]>[0];

/** Tells of every kind of resource how it is, and of the network as a whole. */
export function markResources(scope: Scope, decisions: readonly Decision[]): void {
  const failures = [...scope.memory.refused.values()];
  const marks = CONDITIONS.flatMap((type) => markOf(type, decisions, failures) ?? []);
  for (const mark of marks) scope.context.mark(mark);
  const problem = marks.find(({ severity }) => severity === "Error" || severity === "Warning");
  const first = problem ?? marks.find(({ status }) => status !== "True");
  const type = "NetworkInfrastructureReady";
  scope.context.mark(first ? { ...first, type } : { type, status: "True", reason: "Reconciled" });
}

function markOf(
  type: ResourceCondition,
  decisions: readonly Decision[],
  failures: readonly ResourceFailure[],
): Mark | undefined {
  const about = decisions.filter(({ resource }) => resource.conditions.includes(type));
  if (about.length === 0) return undefined;
  for (const { resource } of about) {
    const failure = failures.find(({ resourceID }) => normalizedId(resourceID) === normalizedId(resource.id));
    if (failure) return markOfFailure(type, failure.error);
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
  return unready ? markOfWork(type, unready) : { type, status: "True", reason: "Reconciled" };
}

function markOfFailure(type: ResourceCondition, error: Error): Mark {
  const failure = error instanceof Failure ? error.failure : "Transient";
  const { message } = error;
  const severity = failure === "Terminal" ? "Error" : failure === "Waiting" ? "Info" : "Warning";
  return { type, status: "False", severity, reason: "Failed", message };
}

/** Says neither names nor reasons that change from pass to pass: a status that says the same is not written again. */
function markOfWork(type: ResourceCondition, decision: Decision): Mark {
  const isUpdate = decision.do === "patchTags" || (decision.do === "put" && !decision.isNew);
  return { type, status: "False", severity: "Info", reason: isUpdate ? "Updating" : "Creating" };
}
