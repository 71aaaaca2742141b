import { parseDuration } from "@capstan/api";
import { again, type Outcome } from "@capstan/runtime";
import {
  type ContentsDecision,
  decideContents,
  fingerprintOf,
  type HistoryEntry,
  INSTALLED_COMMAND,
  INSTALLED_SCRIPT,
  installedIn,
  NOT_KNOWN,
  wasAsked,
} from "@capstan/plan";
import { type AzureScope, textIn } from "../gallery/azure-reads.ts";
import { change, moveTo, recordOf, renewalOf } from "../scope.ts";
import { runOnDonor } from "./run-on-donor.ts";

const WATCH_MS = 6_000;
const TIMEOUT_S = 60;
/** A run command that hangs says nothing; Azure itself may take a minute or two until it says so. */
const PATIENCE_MS = 3 * 60_000;

/**
 * Asks the donor what it has installed, and ends the renewal before the drain if an image of it exists already. Undefined when
 * the renewal goes on.
 */
export async function compareContents(scope: AzureScope): Promise<Outcome | undefined> {
  const { fingerprint } = renewalOf(scope);
  if (wasAsked(fingerprint)) return undefined;
  const view = await runOnDonor(scope, {
    name: INSTALLED_COMMAND,
    script: INSTALLED_SCRIPT,
    timeoutS: TIMEOUT_S,
  });
  if (!view && !isOutOfPatience(scope)) {
    scope.note = { reason: "Preparing", why: "the donor is asked what it has installed" };
    return again(WATCH_MS, "Preparing");
  }
  const installed = view ? installedIn(textIn(view, "output")) : NOT_KNOWN;
  const now = fingerprintOf(fingerprint, installed);
  const decision = decideContents(factsOf(scope, now));
  change(scope, { fingerprint: now });
  return decision.do === "skip" ? endUnchanged(scope, decision) : undefined;
}

function factsOf(scope: AzureScope, fingerprint: string): Parameters<typeof decideContents>[0] {
  const { settings, owner, context } = scope;
  const { history, bootImage, isRequested = false } = { ...recordOf(scope), ...renewalOf(scope) };
  const ofState = (desired: HistoryEntry["state"]): readonly string[] =>
    history.flatMap((one) => (one.state === desired ? (one.fingerprint ?? []) : []));
  const ageMs = context.env.clock.now() - Date.parse(owner.status?.lastImagePrototype ?? "");
  return {
    fingerprint,
    activeFingerprint: bootImage && ofState("Active")[0],
    badFingerprints: ofState("Bad"),
    isRequested,
    intervalsOld: Number.isNaN(ageMs) ? Infinity : ageMs / parseDuration(settings?.interval ?? "24h"),
  };
}

function isOutOfPatience(scope: AzureScope): boolean {
  const sinceMs = Date.parse(recordOf(scope).timeline?.at(-1)?.startedAt ?? "");
  return scope.context.env.clock.now() - sinceMs >= PATIENCE_MS;
}

/** Nothing is new: the donor is released, and the next renewal is due an interval later. */
async function endUnchanged(
  scope: AzureScope,
  { reason, why }: Extract<ContentsDecision, { do: "skip" }>,
): Promise<Outcome> {
  const lastError = { step: recordOf(scope).phase, code: reason, message: why };
  await moveTo(scope, "Restoring", { succeeded: false, lastError });
  scope.context.event({ type: "Normal", reason: "PrototypeSkipped", message: `No renewal: ${why}` });
  return again(0, "Restoring");
}
