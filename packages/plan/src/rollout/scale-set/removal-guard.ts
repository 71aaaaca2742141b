import { counted, isOrAre } from "../shared/action.ts";
import { type Blocked, type PoolAction, headingOf } from "./action.ts";
import { type PoolView, type RemovalGuard, machinesOf } from "./view.ts";

/** A wrong list usually misses many instances: fewer missing ones than this are always trusted. */
const ALWAYS_BELIEVED_BELOW = 3;

/** The share of a pool that one list may remove. */
const BELIEVED_SHARE = 0.1;

/** How many more lists must agree before many resources are removed. */
const CONFIRMATIONS_NEEDED = 2;

/** The minimum time between those lists: neither a cache nor a partial answer of Azure lasts that long. */
const BETWEEN_CONFIRMATIONS_MS = 5 * 60_000;

/** The decision about resources whose instance is gone. */
export interface Removal {
  readonly remove: PoolAction | undefined;
  readonly blocked: Blocked | undefined;
}

/** The resources whose instance a list does not show; resources that are being deleted are expected to lose it. */
export function missingNames(view: PoolView): readonly string[] {
  return machinesOf(view)
    .flatMap((machine) =>
      machine.name !== undefined && machine.instanceID === undefined && !machine.isDeleting
        ? [machine.name]
        : [],
    )
    .sort();
}

/** Whether one list is not enough to remove this many resources. */
export function isGuarded(missing: number, total: number): boolean {
  return missing >= ALWAYS_BELIEVED_BELOW && missing > total * BELIEVED_SHARE;
}

/** Records one complete list; a list that differs from the last one starts over. */
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

/** Annotation of an AzureMachinePool: how many machines one list may remove beyond the usual share. */
export const ALLOW_REMOVAL_ANNOTATION = "capstan.dev/allow-removal";

/** Removes resources without an instance, unless there are so many that the list is probably wrong. */
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
