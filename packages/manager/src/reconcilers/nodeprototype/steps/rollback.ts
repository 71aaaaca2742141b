import { formatTimestamp } from "@capstan/api";
import { again, next, type Outcome } from "@capstan/runtime";
import { type HistoryEntry, isRollbackDone, returnTargetOf, rolledBack } from "@capstan/plan";
import { type AzureScope, read, stateOf } from "../gallery/azure-reads.ts";
import { isExcluded, published } from "./promote.ts";
import { badTags } from "../gallery/prototype-tags.ts";
import { change, moveTo, recordOf, renewalOf } from "../scope.ts";

const SOON_MS = 10_000;

/** A user asks to return to the previous image. */
export async function beginRollback(scope: AzureScope, nonce: string): Promise<Outcome> {
  if (isRollbackDone(nonce, renewalOf(scope).history)) return decline(scope, nonce, ALREADY);
  if (renewalOf(scope).history.some(({ state }) => state === "Active")) {
    await moveTo(scope, "RollingBack", { observedRollback: nonce });
    return again(0, "RollingBack");
  }
  return decline(scope, nonce, NOTHING);
}

const ALREADY = "The version that a user wants to leave is not in use any more: nothing is rolled back";
const NOTHING = "There is no image to roll back: new machines boot from the image in the spec";

function decline(scope: AzureScope, nonce: string, message: string): Outcome {
  change(scope, { observedRollback: nonce });
  scope.context.event({ type: "Warning", reason: "PrototypeNotRolledBack", message });
  return next;
}

/** Leaves the active version out of the latest, so that new machines get the previous one or the image in the spec. */
export async function rollBack(scope: AzureScope): Promise<Outcome> {
  const { azure, context } = scope;
  const active = renewalOf(scope).history.find(({ state }) => state === "Active");
  const body = active && (await read(scope, active.id));
  const state = stateOf(body);
  if (active && state === "Succeeded" && !isExcluded(body)) {
    if (!(await isSafeToLeaveOut(scope, active))) return again(SOON_MS, "RollingBack");
    const at = formatTimestamp(context.env.clock.now());
    const left = { ...published(body, true), tags: badTags(body, at) };
    await azure.arm.put(active.id, left, { location: azure.location });
    return again(SOON_MS, "RollingBack");
  }
  const isSettled = state === undefined || state === "Succeeded" || state === "Failed";
  return isSettled ? complete(scope) : again(SOON_MS, "RollingBack");
}

/**
 * Whether machines can be created when the version is left out: another version of the definition exists, or they boot from the
 * image in the spec already. In the other order, no machine could be created between the two writes.
 */
async function isSafeToLeaveOut(scope: AzureScope, { id }: HistoryEntry): Promise<boolean> {
  if (returnTargetOf(await withoutGone(scope))) return true;
  const [definition = ""] = id.split("/versions/");
  // The pool controller reads this field and writes the scale set.
  change(scope, { bootImage: undefined });
  return (await scope.fleet.restoreSpec()) && !scope.fleet.bootsFrom(definition);
}

/** The history without versions to return to that another client has deleted. */
async function withoutGone(scope: AzureScope): Promise<readonly HistoryEntry[]> {
  const kept: HistoryEntry[] = [];
  for (const one of renewalOf(scope).history)
    if (one.state !== "Previous" || (await read(scope, one.id))) kept.push(one);
  return kept;
}

async function complete(scope: AzureScope): Promise<Outcome> {
  const { bootImage, rolledBack: ownRollback } = recordOf(scope);
  const bad = renewalOf(scope).history.find(({ state }) => state === "Active");
  const after = rolledBack(await withoutGone(scope));
  const active = after.find(({ state }) => state === "Active");
  if (!active && !(await scope.fleet.restoreSpec())) return again(0, "RollingBack");
  // Azure has no latest version of the definition then: machines boot from the image in the spec.
  await moveTo(scope, "Idle", { history: after, bootImage: active ? bootImage : undefined });
  const to = active ? `version ${active.version}` : "the image in the spec";
  if (bad && ownRollback?.version === bad.version) {
    const message = `${ownRollback.message}; new machines boot from ${to}`;
    scope.context.event({ type: "Warning", reason: "PrototypeRolledBackByItself", message });
  } else {
    const message = `Rolled back: new machines boot from ${to}`;
    scope.context.event({ type: "Normal", reason: "PrototypeRolledBack", message });
  }
  return again(0, "RolledBack");
}
