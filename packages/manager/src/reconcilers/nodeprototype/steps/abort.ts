import { formatTimestamp, parseDuration } from "@capstan/api";
import { again, type Outcome } from "@capstan/runtime";
import { BREAKER_AFTER, decideEnd } from "@capstan/plan";
import { type AzureScope, deleted } from "../gallery/azure-reads.ts";
import { versionID } from "./publish.ts";
import { moveTo, recordOf, type Scope } from "../scope.ts";
import { deleteCanary } from "./canary.ts";
import { deleteHelper } from "./scrub.ts";
import { deleteSnapshots } from "./snapshot.ts";

const SOON_MS = 10_000;

/** Removes what a renewal has left, and waits before the next one. */
export async function abort(scope: AzureScope): Promise<Outcome> {
  const isCanaryGone = await deleteCanary(scope);
  const isHelperGone = await deleteHelper(scope);
  const areSnapshotsGone = await deleteSnapshots(scope);
  const isVersionGone = await deleteVersion(scope);
  if (!isCanaryGone || !isHelperGone || !areSnapshotsGone || !isVersionGone)
    return again(SOON_MS, "Aborting");
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
  const { lastError } = recordOf(scope);
  const intervalMs = parseDuration(settings?.interval ?? "24h");
  const { result, consecutiveFailures, waitMs } = decideEnd(recordOf(scope), intervalMs);
  await moveTo(scope, "Idle", {
    consecutiveFailures,
    nextAttemptTime: formatTimestamp(context.env.clock.now() + waitMs),
    snapshot: undefined,
    imageVersion: undefined,
    ...(result === "skipped" && { lastError: undefined }),
  });
  if (result !== "interrupted") shared.ports.prototypeMetrics.ended(ownerKey, result);
  if (result === "failed") noteBreaker(scope, consecutiveFailures ?? 0, lastError?.message ?? "");
  return again(0, "Aborted");
}

/** Tells once that renewals fail again and again. */
function noteBreaker({ context }: Scope, failures: number, cause: string): void {
  if (failures !== BREAKER_AFTER) return;
  const message = `${failures} renewals failed in a row; from now on one is tried each interval. The last error: ${cause}`;
  context.event({ type: "Warning", reason: "PrototypeBreakerOpen", message });
}
