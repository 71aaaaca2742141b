import { again, type Outcome } from "@capstan/runtime";
import type { JsonObject } from "@capstan/api";
import { decideSnapshot, scrubbedSnapshotName, type SnapshotFacts } from "@capstan/plan";
import {
  type AzureScope,
  deleted,
  objectIn,
  read,
  readPower,
  stateOf,
  textIn,
} from "../gallery/azure-reads.ts";
import { failRenewal } from "./fail.ts";
import { cycleOf, snapshotTags } from "../gallery/prototype-tags.ts";
import { moveTo, recordOf, renewalOf } from "../scope.ts";

const WATCH_MS = 6_000;

/** The ARM id of the snapshot of the renewal. */
export function snapshotID(scope: AzureScope): string {
  return `${scope.azure.groupID}/providers/Microsoft.Compute/snapshots/${renewalOf(scope).snapshot.name}`;
}

/** The ARM id of the snapshot of the copy, which has no identity. */
export function scrubbedSnapshotID(scope: AzureScope): string {
  const name = scrubbedSnapshotName(scope.owner.metadata.name, renewalOf(scope).cycleID);
  return `${scope.azure.groupID}/providers/Microsoft.Compute/snapshots/${name}`;
}

/** The snapshot that the version is made from. */
export function publishedSnapshotID(scope: AzureScope): string {
  return recordOf(scope).scrub?.mode === "Copy" ? scrubbedSnapshotID(scope) : snapshotID(scope);
}

/** Takes the snapshot of the stopped donor's OS disk. */
export async function takeSnapshot(scope: AzureScope): Promise<Outcome> {
  const { azure, context } = scope;
  const { donor, snapshot, cycleID } = renewalOf(scope);
  const id = snapshotID(scope);
  const step = decideSnapshot(factsOf(await read(scope, id)), {
    power: await readPower(scope),
    cycleID,
    osDiskID: donor.osDiskID,
  });
  scope.note = { reason: "Snapshotting", why: step.why };
  if (step.do === "giveUp") return failRenewal(scope, "SnapshotFailed", step.why);
  if (step.do === "create")
    await azure.arm.put(id, snapshotBody(scope, donor.osDiskID), { location: azure.location });
  if (step.do !== "done") return again(WATCH_MS, "Snapshotting");
  await moveTo(scope, "Restoring", { succeeded: true, snapshot: { name: snapshot.name, id } });
  const message = `Snapshot ${snapshot.name} is complete`;
  context.event({ type: "Normal", reason: "PrototypeSnapshot", message });
  return again(0, "Restoring");
}

/** The body of a snapshot of a disk. */
export function snapshotBody(scope: AzureScope, diskID: string): JsonObject {
  return {
    location: scope.azure.location,
    tags: snapshotTags(scope),
    sku: { name: "Standard_LRS" },
    properties: { creationData: { createOption: "Copy", sourceResourceId: diskID } },
  };
}

function factsOf(body: JsonObject | undefined): SnapshotFacts | undefined {
  if (!body) return undefined;
  return {
    state: stateOf(body) ?? "",
    cycleID: cycleOf(body),
    source: textIn(objectIn(body, "properties", "creationData"), "sourceResourceId"),
  };
}

/** Deletes the snapshots: the version is complete and does not need them. */
export async function cleanSnapshots(scope: AzureScope): Promise<Outcome> {
  if (!(await deleteSnapshots(scope))) return again(WATCH_MS, "CleaningSnapshot");
  await moveTo(scope, "Validating");
  return again(0, "Validating");
}

/** Deletes the snapshots of the renewal; returns whether they are gone. */
export async function deleteSnapshots(scope: AzureScope): Promise<boolean> {
  if (recordOf(scope).snapshot === undefined) return true;
  const areGone = [await deleted(scope, snapshotID(scope)), await deleted(scope, scrubbedSnapshotID(scope))];
  return areGone.every(Boolean);
}
