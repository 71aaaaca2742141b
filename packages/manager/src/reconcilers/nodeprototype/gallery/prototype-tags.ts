import type { JsonObject } from "@capstan/api";
import { type HistoryEntry, type Tags, tagsIn, tagsOf } from "@capstan/plan";
import { tagSourceOf } from "../../../azure-cluster/spec-view.ts";
import type { AzureScope } from "./azure-reads.ts";
import { recordOf, renewalOf } from "../scope.ts";

/** Tags of snapshots and versions, from which a status that was lost is rebuilt. */
const POOL = "capstan_pool";
export const CYCLE = "capstan_cycle";
const BASE = "capstan_base";
const FINGERPRINT = "capstan_fingerprint";
const DONOR = "capstan_donor";
/** The tag of a version: it is free of the identity of its donor. */
const SCRUBBED = "capstan_scrubbed";
/** The tag of a version: when it was promoted. Without it, the version is left over from a renewal that was not completed. */
const PROMOTED = "capstan_promoted";
/** The tag of a version: it was rolled back. */
const BAD = "capstan_bad";

/** The tags of what a renewal creates. */
export function snapshotTags(scope: AzureScope): Tags {
  const { azure, ownerKey } = scope;
  const { cycleID, fingerprint, donor } = renewalOf(scope);
  return {
    ...tagsOf(tagSourceOf(azure.plan), "node-prototype"),
    [POOL]: ownerKey,
    [CYCLE]: cycleID,
    [BASE]: azure.base,
    [FINGERPRINT]: fingerprint,
    [DONOR]: donor.machine,
  };
}

/** The tags of a version. */
export function versionTags(scope: AzureScope): Tags {
  const isScrubbed = recordOf(scope).scrub?.mode === "Copy";
  return { ...snapshotTags(scope), ...(isScrubbed && { [SCRUBBED]: "true" }) };
}

/** The tags of a gallery: the owners of a cluster share it. */
export function galleryTags({ azure }: AzureScope): Tags {
  return tagsOf(tagSourceOf(azure.plan), "node-prototype");
}

/** The tags of a definition. */
export function definitionTags(scope: AzureScope): Tags {
  return { ...galleryTags(scope), [POOL]: scope.ownerKey };
}

/** The tags of a version that is promoted now. */
export function promotedTags(body: JsonObject | undefined, at: string): Tags {
  return { ...tagsIn(body ?? {}), [PROMOTED]: at };
}

/** When a version was promoted, by its tag; empty if it was not. */
export function promotedAt(body: JsonObject | undefined): string {
  return tagsIn(body ?? {})[PROMOTED] ?? "";
}

/** The tags of a version that is rolled back. */
export function badTags(body: JsonObject | undefined, at: string): Tags {
  return { ...tagsIn(body ?? {}), [BAD]: at };
}

/** The renewal that a resource was created for; empty if it has no tag of ours. */
export function cycleOf(body: JsonObject): string {
  return tagsIn(body)[CYCLE] ?? "";
}

/** Whether a snapshot, a definition or a version belongs to the owner. */
export function isOfOwner(body: JsonObject, { ownerKey }: AzureScope): boolean {
  return tagsIn(body)[POOL] === ownerKey;
}

/** What a version of the gallery is in the history; undefined if it was never promoted. */
export function historyEntry(body: JsonObject, isLeftOut: boolean): HistoryEntry | undefined {
  const tags = tagsIn(body);
  const { [PROMOTED]: createdAt, [DONOR]: donor = "", [FINGERPRINT]: fingerprint = "" } = tags;
  const { id, name } = body;
  if (createdAt === undefined || typeof id !== "string" || typeof name !== "string") return undefined;
  const isBad = BAD in tags || isLeftOut;
  const scrubbed = SCRUBBED in tags && { scrubbed: true };
  return { id, version: name, createdAt, donor, fingerprint, ...scrubbed, state: isBad ? "Bad" : "Previous" };
}
