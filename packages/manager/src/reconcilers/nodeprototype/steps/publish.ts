import { isJsonObject, type JsonObject } from "@capstan/api";
import { again, type Outcome } from "@capstan/runtime";
import { ownerOf } from "../../../azure-cluster/spec-view.ts";
import {
  decidePublish,
  definitionFor,
  isOverdue,
  isOwned,
  mismatchOf,
  type PublishFacts,
  type PublishStep,
  prototypeVersionOf,
} from "@capstan/plan";
import { type AzureScope, objectIn, read, stateOf, textIn } from "../gallery/azure-reads.ts";
import { failRenewal } from "./fail.ts";
import { definitionTags, galleryTags, versionTags } from "../gallery/prototype-tags.ts";
import { change, moveTo, recordOf, renewalOf } from "../scope.ts";
import { publishedSnapshotID } from "./snapshot.ts";

const SOON_MS = 10_000;
// A version takes ten minutes or hours: it is read rarely.
const VERSION_MS = 60_000;
// Microsoft recommends three replicas for production.
const REPLICAS = 3;

/** The ARM id of the version that the renewal publishes. */
export function versionID(scope: AzureScope): string {
  const { gallery, definition, version } = renewalOf(scope).imageVersion;
  return `${scope.azure.groupID}/providers/Microsoft.Compute/galleries/${gallery}/images/${definition}/versions/${version}`;
}

/** The ARM id of the definition of the version that the renewal publishes. */
export function definitionIDOf(scope: AzureScope): string {
  return versionID(scope).split("/versions/")[0] ?? "";
}

/** What is in the gallery. A version that exists needs no further look. */
interface Gallery extends Pick<
  PublishFacts,
  "gallery" | "isForeignGallery" | "definition" | "mismatch" | "version" | "snapshot"
> {
  readonly versionBody: JsonObject | undefined;
  readonly snapshotBody: JsonObject | undefined;
}

async function lookAtGallery(scope: AzureScope): Promise<Gallery> {
  const versionBody = await read(scope, versionID(scope), { $expand: "ReplicationStatus" });
  if (versionBody) {
    const there = {
      gallery: "Succeeded",
      isForeignGallery: false,
      definition: "Succeeded",
      mismatch: undefined,
      snapshot: "Succeeded",
    };
    return { ...there, version: stateOf(versionBody), versionBody, snapshotBody: undefined };
  }
  const snapshotBody = await read(scope, publishedSnapshotID(scope));
  const galleryBody = await read(scope, scope.azure.galleryID);
  const gallery = stateOf(galleryBody);
  const definitionBody = gallery === undefined ? undefined : await read(scope, definitionIDOf(scope));
  return {
    gallery,
    isForeignGallery: galleryBody !== undefined && !isOwned(galleryBody, ownerOf(scope.azure.plan)),
    definition: stateOf(definitionBody),
    mismatch: definitionBody && mismatchWith(scope, definitionBody, snapshotBody),
    version: undefined,
    snapshot: stateOf(snapshotBody),
    versionBody,
    snapshotBody,
  };
}

/** Why the definition does not take versions of the snapshot. */
function mismatchWith(
  scope: AzureScope,
  definition: JsonObject,
  snapshot: JsonObject | undefined,
): string | undefined {
  if (!snapshot) return undefined;
  const needed = definitionFor(objectIn(snapshot, "properties"));
  const mismatch = mismatchOf(objectIn(definition, "properties"), needed);
  return mismatch && `the image definition ${definitionIDOf(scope)} ${mismatch}`;
}

/** Publishes the snapshot as a version that new machines do not get yet. */
export async function publish(scope: AzureScope): Promise<Outcome> {
  const seen = await lookAtGallery(scope);
  const { attempt } = renewalOf(scope);
  const isLate = isOverdue(recordOf(scope), scope.context.env.clock.now());
  const step = decidePublish({ ...seen, attempt, isOverdue: isLate });
  scope.note = { reason: "Publishing", why: step.why };
  if (seen.versionBody) noteProgress(scope, seen.versionBody);
  return CARRY_OUT[step.do](scope, seen, step);
}

type CarryOut = (scope: AzureScope, seen: Gallery, step: PublishStep) => Promise<Outcome>;

const CARRY_OUT: Readonly<Record<PublishStep["do"], CarryOut>> = {
  giveUp: (scope, _, { why }) => failRenewal(scope, "PublishingFailed", why),
  wait: async (_, { versionBody }) => again(versionBody ? VERSION_MS : SOON_MS, "Publishing"),
  createGallery: (scope) => put(scope, scope.azure.galleryID, { properties: {}, tags: galleryTags(scope) }),
  createDefinition: (scope, { snapshotBody }) =>
    put(scope, definitionIDOf(scope), newDefinition(scope, snapshotBody)),
  createVersion: (scope) => put(scope, versionID(scope), versionBodyOf(scope)),
  deleteVersion: async (scope) => {
    await scope.azure.arm.delete(versionID(scope), { location: scope.azure.location });
    return nextAttempt(scope);
  },
  done: async (scope) => {
    await moveTo(scope, "CleaningSnapshot");
    return again(0, "CleaningSnapshot");
  },
};

async function put({ azure }: AzureScope, id: string, body: JsonObject): Promise<Outcome> {
  await azure.arm.put(id, { location: azure.location, ...body }, { location: azure.location });
  return again(SOON_MS, "Publishing");
}

/** Another version from the same snapshot: the failed one may take a while to go, so it gets another name. */
async function nextAttempt(scope: AzureScope): Promise<Outcome> {
  const { imageVersion, startedAt, attempt } = renewalOf(scope);
  const { gallery, definition } = imageVersion;
  const version = prototypeVersionOf(Date.parse(startedAt), attempt + 1);
  change(scope, { attempt: attempt + 1, imageVersion: { gallery, definition, version } });
  await scope.context.persistStatus();
  return again(SOON_MS, "Publishing");
}

/** The definition must match what its versions are made from, and it cannot be changed later. */
function newDefinition(scope: AzureScope, snapshot: JsonObject | undefined): JsonObject {
  const { azure, owner, ownerKey } = scope;
  return {
    tags: definitionTags(scope),
    properties: {
      ...definitionFor(objectIn(snapshot, "properties")),
      identifier: {
        publisher: "capstan",
        offer: ownerKey,
        sku: `${owner.metadata.name}-${azure.base.slice(0, 8)}`,
      },
    },
  };
}

function versionBodyOf(scope: AzureScope): JsonObject {
  // Not every region has zone-redundant storage: the second attempt does without.
  const storageAccountType = renewalOf(scope).attempt === 1 ? "Standard_ZRS" : "Standard_LRS";
  const { location } = scope.azure;
  return {
    tags: versionTags(scope),
    properties: {
      storageProfile: { osDiskImage: { source: { id: publishedSnapshotID(scope) } } },
      publishingProfile: {
        excludeFromLatest: true,
        targetRegions: [{ name: location, regionalReplicaCount: REPLICAS, storageAccountType }],
      },
    },
  };
}

function noteProgress(scope: AzureScope, version: JsonObject): void {
  const status = objectIn(version, "properties", "replicationStatus");
  const { summary } = status;
  const regions = Array.isArray(summary) ? summary.filter(isJsonObject) : [];
  if (regions.length === 0) return;
  const progress = Math.min(...regions.map((one) => Number(one["progress"])));
  const aggregatedState = textIn(status, "aggregatedState");
  // Every percent would cost a write of the status.
  const tens = Math.floor(progress / 10) * 10;
  change(scope, { imageVersion: { ...renewalOf(scope).imageVersion, aggregatedState, progress: tens } });
}
