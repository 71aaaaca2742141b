import type { PassSummary } from "@capstan/runtime";
import { isRunning } from "../../images/record.ts";
import { recordOf, type Scope } from "./scope.ts";

/** The condition of the earlier proposal; the time of the last renewal is in status.lastImagePrototype. */
export const LAST_OS_CACHE = "LastOsCache";

const WARNINGS: ReadonlySet<string> = new Set(["SwitchedOff", "OneNodePool", "NoDonor", "BackingOff"]);

/** Says how the image stands, and why nothing happens now. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  claimReady();
  const said = noteOf(scope);
  if (!said) return;
  const { reason, why: message } = said;
  const status = isRenewed(scope) && reason !== "SwitchedOff" ? "True" : "False";
  const severity = WARNINGS.has(reason) ? ("Warning" as const) : ("Info" as const);
  scope.context.setCondition({
    type: LAST_OS_CACHE,
    status,
    ...(status === "False" && { severity }),
    reason,
    message,
  });
}

/** What the condition says; undefined if the owner never used the feature, or the pass has nothing new. */
function noteOf({ offBecause, settings, owner, note }: Scope): Scope["note"] {
  const isKnown = owner.status?.conditions?.some(({ type }) => type === LAST_OS_CACHE) === true;
  if (!settings && !isKnown) return undefined;
  const isOff = offBecause !== undefined && !isRunning(owner.status?.nodePrototyping);
  return isOff ? { reason: "SwitchedOff", why: offBecause } : note;
}

/** Whether new machines boot from an image of the pool. */
function isRenewed(scope: Scope): boolean {
  return scope.owner.status?.lastImagePrototype !== undefined && recordOf(scope).bootImage !== undefined;
}
