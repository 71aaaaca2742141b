import { formatTimestamp, type JsonObject, sameArmId } from "@capstan/api";
import { again, type Outcome } from "@capstan/runtime";
import { decidePromote, type HistoryEntry, promoted, type PrototypeRecord } from "@capstan/plan";
import { sizeOf } from "../gallery/version-size.ts";
import { type AzureScope, objectIn, read, stateOf } from "../gallery/azure-reads.ts";
import { failRenewal } from "./fail.ts";
import { promotedAt, promotedTags } from "../gallery/prototype-tags.ts";
import { definitionIDOf, versionID } from "./publish.ts";
import { change, moveTo, recordOf, renewalOf } from "../scope.ts";

const SOON_MS = 10_000;
// The pool controller's write of the scale set changes the pool, which enqueues it; this covers a missed event.
const MODEL_MS = 30_000;

/** Lets new machines boot from the version: Azure takes it for the latest, and the scale set names its definition. */
export async function promote(scope: AzureScope): Promise<Outcome> {
  const { azure, context } = scope;
  const definitionID = definitionIDOf(scope);
  const body = await read(scope, versionID(scope));
  const step = decidePromote({
    version: stateOf(body),
    isExcluded: isExcluded(body),
    isCurrentBase: sameArmId(definitionID, azure.definitionID),
    isInModel: scope.fleet.bootsFrom(definitionID),
  });
  scope.note = { reason: "Promoting", why: step.why };
  switch (step.do) {
    case "discard":
      return failRenewal(scope, "PrototypeDiscarded", step.why);
    case "wait":
      return again(SOON_MS, "Promoting");
    case "include": {
      const at = formatTimestamp(context.env.clock.now());
      const included = { ...published(body, false), tags: promotedTags(body, at) };
      await azure.arm.put(versionID(scope), included, { location: azure.location });
      return again(SOON_MS, "Promoting");
    }
    case "awaitModel":
      // The pool controller reads this field and writes the scale set.
      change(scope, { bootImage: bootImageIn(scope) });
      return again(MODEL_MS, "AwaitingModel");
    case "record":
      return (await isRolled(scope, body)) && (await isInSpec(scope))
        ? record(scope, body)
        : again(0, "Promoting");
  }
}

/**
 * With the policy RollingUpdate, existing machines are replaced as by `capstan rollout restart`. That is written before the
 * renewal ends: the time of the promotion is a tag of the version, so it is the same after a crash.
 */
function isRolled({ settings, fleet }: AzureScope, version: JsonObject | undefined): Promise<boolean> {
  return settings?.rolloutPolicy === "RollingUpdate"
    ? fleet.rollSince(promotedAt(version))
    : Promise.resolve(true);
}

/** With the promotion Spec, the definition is also in the spec, before the renewal ends. */
function isInSpec(scope: AzureScope): Promise<boolean> {
  const { settings, fleet } = scope;
  return settings?.promotion === "Spec" ? fleet.writeToSpec(definitionIDOf(scope)) : Promise.resolve(true);
}

/** Whether Azure leaves the version out when it looks for the latest. */
export function isExcluded(body: JsonObject | undefined): boolean {
  return objectIn(body, "properties", "publishingProfile")["excludeFromLatest"] === true;
}

/** The body of a version with which Azure takes it for the latest, or does not. */
export function published(body: JsonObject | undefined, excludeFromLatest: boolean): JsonObject {
  const properties = objectIn(body, "properties");
  const publishingProfile = { ...objectIn(properties, "publishingProfile"), excludeFromLatest };
  return { ...body, properties: { ...properties, publishingProfile } };
}

/** The renewal has succeeded: only now the timestamp moves. */
async function record(scope: AzureScope, version: JsonObject | undefined): Promise<Outcome> {
  const { owner, context, shared, ownerKey } = scope;
  const { history, donor, startedAt } = renewalOf(scope);
  const nowMs = context.env.clock.now();
  const entry = { ...entryAt(scope, formatTimestamp(nowMs)), ...sizeOf(version) };
  owner.status = { ...owner.status, lastImagePrototype: entry.createdAt };
  await moveTo(scope, "Idle", {
    history: promoted(history, entry),
    // The annotation of a template may have been written by a process that died before it wrote this.
    bootImage: bootImageIn(scope),
    consecutiveFailures: undefined,
    nextAttemptTime: undefined,
    lastError: undefined,
    snapshot: undefined,
    joins: undefined,
    rolledBack: undefined,
  });
  shared.ports.prototypeMetrics.ended(ownerKey, "succeeded");
  const minutes = Math.round((nowMs - Date.parse(startedAt)) / 60_000);
  const message = `New machines boot from version ${entry.version}, an image of ${donor.machine}; the renewal took ${minutes} min`;
  context.event({ type: "Normal", reason: "PrototypePromoted", message });
  return again(0, "Promoted");
}

function bootImageIn(scope: AzureScope): NonNullable<PrototypeRecord["bootImage"]> {
  return { id: definitionIDOf(scope), base: scope.azure.base };
}

function entryAt(scope: AzureScope, createdAt: string): HistoryEntry {
  const { donor, fingerprint, imageVersion } = renewalOf(scope);
  const { canary, donor: { backAt = "", outSince = "" } = {} } = recordOf(scope);
  const outMs = Date.parse(backAt) - Date.parse(outSince);
  return {
    id: versionID(scope),
    version: imageVersion.version,
    createdAt,
    donor: donor.machine,
    fingerprint,
    ...(canary?.verdict !== undefined && canary.verdict !== "Failed" && { canary: canary.verdict }),
    ...(recordOf(scope).scrub?.mode === "Copy" && { scrubbed: true }),
    ...(!Number.isNaN(outMs) && { outOfServiceSeconds: Math.round(outMs / 1000) }),
    state: "Active",
  };
}
