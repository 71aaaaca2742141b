import { block, next, type Outcome } from "@capstan/runtime";
import { recordDesiredTags } from "../model/tags.ts";
import type { NormalScope } from "../scope.ts";

/** Records the user's tags before they are written to Azure: a tag that is removed from the spec later is ours to remove. */
export function recordTags(scope: NormalScope): Outcome {
  if (scope.specProblem) return next;
  return recordDesiredTags(scope) ? block(0, "RememberingTags") : next;
}
