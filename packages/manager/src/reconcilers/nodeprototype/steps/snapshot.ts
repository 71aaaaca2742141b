import { again, type Outcome } from "@capstan/runtime";
import type { JsonObject } from "@capstan/api";
import { decideSnapshot, type SnapshotFacts } from "@capstan/plan";
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
  if (step.do === "create") await azure.arm.put(id, snapshotBody(scope), { location: azure.location });
  if (step.do !== "done") return again(WATCH_MS, "Snapshotting");
  await moveTo(scope, "Restoring", { succeeded: true, snapshot: { name: snapshot.name, id } });
  const message = `Snapshot ${snapshot.name} is complete`;
  context.event({ type: "Normal", reason: "PrototypeSnapshot", message });
  return again(0, "Restoring");
}

function snapshotBody(scope: AzureScope): JsonObject {
  const { osDiskID } = renewalOf(scope).donor;
  return {
    location: scope.azure.location,
    tags: snapshotTags(scope),
    sku: { name: "Standard_LRS" },
    properties: { creationData: { createOption: "Copy", sourceResourceId: osDiskID } },
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

/** Deletes the snapshot: the version is complete and does not need it. */
export async function cleanSnapshot(scope: AzureScope): Promise<Outcome> {
  if (!(await deleteSnapshot(scope))) return again(WATCH_MS, "CleaningSnapshot");
  await moveTo(scope, "Promoting");
  return again(0, "Promoting");
}

/** Deletes the snapshot of the renewal; returns whether it is gone. */
export async function deleteSnapshot(scope: AzureScope): Promise<boolean> {
  return recordOf(scope).snapshot === undefined || (await deleted(scope, snapshotID(scope)));
}
