import { counted, isOrAre } from "../shared/action.ts";
import { type Blocked, type PoolAction, headingOf } from "./action.ts";
import { type PoolView, type RemovalGuard, machinesOf } from "./view.ts";

/** A list that is wrong is mostly wrong about many: fewer than this are always believed. */
const ALWAYS_BELIEVED_BELOW = 3;

/** The share of a pool that one list may take away. */
const BELIEVED_SHARE = 0.1;

/** How many more lists must agree before many resources go. */
const CONFIRMATIONS_NEEDED = 2;

/** How far apart those lists must be: a cache or a partial answer of Azure does not live that long. */
const BETWEEN_CONFIRMATIONS_MS = 5 * 60_000;

/** What becomes of resources whose instance is gone. */
export interface Removal {
  readonly remove: PoolAction | undefined;
  readonly blocked: Blocked | undefined;
}

/** The resources that a list says have no instance any more; those on their way out anyway are expected to lose it. */
export function missingNames(view: PoolView): readonly string[] {
  return machinesOf(view)
    .flatMap((machine) =>
      machine.name !== undefined && machine.instanceID === undefined && !machine.isDeleting
        ? [machine.name]
        : [],
    )
    .sort();
}

/** Whether one list may not take this many resources away by itself. */
export function isGuarded(missing: number, total: number): boolean {
  return missing >= ALWAYS_BELIEVED_BELOW && missing > total * BELIEVED_SHARE;
}

/** Adds one complete list to what is remembered; a list that says something else starts over. */
export function observeMissing(
  previous: RemovalGuard | undefined,
  missing: readonly string[],
  nowMs: number,
): RemovalGuard | undefined {
  if (missing.length === 0) return undefined;
  if (previous === undefined || previous.missing.join("\n") !== missing.join("\n")) {
    return { missing, confirmations: 0, lastCountedMs: nowMs };
  }
  if (nowMs - previous.lastCountedMs < BETWEEN_CONFIRMATIONS_MS) return previous;
  return { missing, confirmations: previous.confirmations + 1, lastCountedMs: nowMs };
}

/** Annotation of an AzureMachinePool: how many machines one list may remove, where that is more than is usually believed. */
export const ALLOW_REMOVAL_ANNOTATION = "capstan.dev/allow-removal";

/** Removes resources without an instance, unless they are so many that the list is more likely wrong. */
export function planRemoval(view: PoolView): Removal {
  const missing = missingNames(view);
  if (missing.length === 0) return { remove: undefined, blocked: undefined };
  const total = machinesOf(view).filter((machine) => machine.name !== undefined).length;
  if (isGuarded(missing.length, total) && !isConfirmed(view, missing)) {
    const why =
      `the last list of the scale set does not show the instances of ${missing.length} of ${counted(total, "machine")}; ` +
      `they are not deleted until ${CONFIRMATIONS_NEEDED} more lists at least 5 minutes apart agree, or until you annotate the pool with ${ALLOW_REMOVAL_ANNOTATION}: "${missing.length}"`;
    const blocked: Blocked = { ...headingOf(view), reason: "RemovalBlocked", targets: missing, why };
    return { remove: undefined, blocked };
  }
  const why = `the ${missing.length === 1 ? "instance" : "instances"} of ${counted(missing.length, "machine")} ${isOrAre(missing.length)} no longer in the scale set`;
  return {
    remove: {
      ...headingOf(view),
      action: "DeleteMachineResource",
      targets: missing,
      detail: { cause: "InstanceGone" },
      why,
    },
    blocked: undefined,
  };
}

function isConfirmed(view: PoolView, missing: readonly string[]): boolean {
  if (view.allowedRemovals === missing.length) return true;
  const guard = view.removalGuard;
  if (guard === undefined || guard.confirmations < CONFIRMATIONS_NEEDED) return false;
  return guard.missing.join("\n") === missing.join("\n");
}
