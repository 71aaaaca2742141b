import { formatTimestamp, parseDuration } from "@capstan/api";
import { again, type Outcome } from "@capstan/runtime";
import { backoffMs, BREAKER_AFTER, isFailure, isSkipped } from "@capstan/plan";
import { type AzureScope, deleted } from "../gallery/azure-reads.ts";
import { versionID } from "./publish.ts";
import { moveTo, recordOf, type Scope } from "../scope.ts";
import { deleteSnapshot } from "./snapshot.ts";

const SOON_MS = 10_000;
// A renewal that yielded to a change of its pool tries again soon.
const RETRY_MS = 10 * 60_000;

/** Removes what a renewal has left, and waits before the next one. */
export async function abort(scope: AzureScope): Promise<Outcome> {
  const isSnapshotGone = await deleteSnapshot(scope);
  const isVersionGone = await deleteVersion(scope);
  if (!isSnapshotGone || !isVersionGone) return again(SOON_MS, "Aborting");
  return end(scope);
}

/** Deletes the version that was not promoted; returns whether it is gone. */
async function deleteVersion(scope: AzureScope): Promise<boolean> {
  const { imageVersion, history = [] } = recordOf(scope);
  const id = versionID(scope);
  const isKept = imageVersion === undefined || history.some((one) => one.id === id);
  return isKept || (await deleted(scope, id));
}

async function end(scope: Scope): Promise<Outcome> {
  const { context, settings, shared, ownerKey } = scope;
  const { lastError, consecutiveFailures = 0 } = recordOf(scope);
  const hasFailed = isFailure(lastError);
  const failures = consecutiveFailures + (hasFailed ? 1 : 0);
  const intervalMs = parseDuration(settings?.interval ?? "24h");
  const hasNothingNew = isSkipped(lastError);
  const retryMs = hasNothingNew ? intervalMs : RETRY_MS;
  const waitMs = hasFailed ? backoffMs(failures, intervalMs) : retryMs;
  await moveTo(scope, "Idle", {
    consecutiveFailures: failures === 0 ? undefined : failures,
    nextAttemptTime: formatTimestamp(context.env.clock.now() + waitMs),
    snapshot: undefined,
    imageVersion: undefined,
    ...(hasNothingNew && { lastError: undefined }),
  });
  if (hasNothingNew) shared.ports.prototypeMetrics.ended(ownerKey, "skipped");
  if (hasFailed) noteFailure(scope, failures, lastError?.message ?? "");
  return again(0, "Aborted");
}

function noteFailure({ context, shared, ownerKey }: Scope, failures: number, cause: string): void {
  shared.ports.prototypeMetrics.ended(ownerKey, "failed");
  if (failures !== BREAKER_AFTER) return;
  const message = `${failures} renewals failed in a row; from now on one is tried each interval. The last error: ${cause}`;
  context.event({ type: "Warning", reason: "PrototypeBreakerOpen", message });
}
