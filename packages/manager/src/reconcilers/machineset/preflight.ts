import { next, type Outcome } from "@capstan/runtime";
import { preflightOf } from "../../machines/preflight.ts";
import type { Scope } from "./scope.ts";

/** Finds out whether new machines could join their cluster. */
export async function checkPreflight(scope: Scope): Promise<Outcome> {
  const { context, set, cluster } = scope;
  scope.preflight = await preflightOf(context, {
    owner: set,
    template: set.spec.template.spec,
    cluster,
    isJoining: true,
  });
  return next;
}
