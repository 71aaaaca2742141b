import { type JsonObject, PROTOTYPE_DONOR_ANNOTATION, sameArmId } from "@capstan/api";
import { again, block, next, type Outcome } from "@capstan/runtime";
import {
  type HistoryEntry,
  type PrototypeRecord,
  snapshotName,
  surplusOf,
  withoutActive,
} from "@capstan/plan";
import { type AzureScope, deleted, read, readAll, textIn } from "./azure-reads.ts";
import { MACHINE_ANNOTATIONS, NODE_ANNOTATIONS, ON_MACHINE, ON_NODE } from "../fleet/donor-node.ts";
import type { FleetMachine } from "../fleet/fleet.ts";
import { isExcluded } from "../steps/promote.ts";
import { historyEntry, isOfOwner } from "./prototype-tags.ts";
import { change, moveTo, recordOf, renewalOf } from "../scope.ts";
import { sweep } from "./sweep.ts";

const SOON_MS = 30_000;
const SWEEP_MS = 10_000;

/** How soon a deleted version is noticed: a read of Azure for each owner. */
export const VERIFY_MS = 10 * 60_000;

/** Rebuilds the record of a pool whose status was lost, from what Azure and the machines have. */
export async function rebuild(scope: AzureScope): Promise<Outcome> {
  const { owner, context, azure } = scope;
  if (owner.status?.nodePrototyping || !scope.fleet.hasMachines) return next;
  const versions = (await readAll(scope, `${azure.definitionID}/versions`)).filter((body) =>
    isOfOwner(body, scope),
  );
  const history = historyIn(versions);
  const lost = lostDonor(scope);
  const unused = versions.filter((body) => historyEntry(body, false) === undefined);
  // A donor that is out of service does not wait for deletions.
  if (!(await sweep(scope, unused)) && !lost) return block(SWEEP_MS, "Removing");
  restoreHistory(scope, history);
  if (lost) await moveTo(scope, "Restoring", { succeeded: false, ...lost });
  else await context.persistStatus();
  if (history.length === 0 && !lost) return next;
  const message = `The status was lost; the record of ${history.length} images was rebuilt from their tags`;
  context.event({ type: "Normal", reason: "PrototypeRebuilt", message });
  return next;
}

function restoreHistory(scope: AzureScope, history: readonly HistoryEntry[]): void {
  const { owner, azure } = scope;
  const active = history.find(({ state }) => state === "Active");
  if (active) owner.status = { ...owner.status, lastImagePrototype: active.createdAt };
  change(scope, {
    phase: "Idle",
    ...(history.length > 0 && { history }),
    ...(active && { bootImage: { id: azure.definitionID, base: azure.base } }),
  });
}

/** The history by the tags of versions, the newest first; the newest that is not left out is the active one. */
function historyIn(versions: readonly JsonObject[]): readonly HistoryEntry[] {
  const entries = versions
    .flatMap((body) => historyEntry(body, isExcluded(body)) ?? [])
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  const active = entries.find(({ state }) => state === "Previous");
  return entries.map((one) => (one === active ? { ...one, state: "Active" } : one));
}

/** The donor of a renewal that the status has lost: its machine still has the annotations. */
function lostDonor(scope: AzureScope): Partial<PrototypeRecord> | undefined {
  const machine = scope.fleet
    .machines()
    .find(({ object }) => PROTOTYPE_DONOR_ANNOTATION in (object.metadata.annotations ?? {}));
  if (!machine) return undefined;
  const cycleID = machine.object.metadata.annotations?.[PROTOTYPE_DONOR_ANNOTATION] ?? "";
  const message = "the status was lost in the middle of a renewal";
  return {
    cycleID,
    lastError: { step: "Restoring", code: "StatusLost", message },
    snapshot: { name: snapshotName(scope.owner.metadata.name, cycleID) },
    donor: donorIn(machine),
  };
}

function donorIn(machine: FleetMachine): NonNullable<PrototypeRecord["donor"]> {
  const { name = "", uid = "" } = machine.nodeRef ?? {};
  return {
    machine: machine.facts.machine,
    nodeName: name,
    nodeUID: uid,
    instanceID: machine.instanceID,
    providerID: machine.providerID,
    markers: [
      ...MACHINE_ANNOTATIONS.map((one) => `${ON_MACHINE}${one}`),
      ...NODE_ANNOTATIONS.map((one) => `${ON_NODE}${one}`),
    ],
  };
}

/**
 * Looks whether the version that new machines boot from still exists. Another client may have deleted it, or its gallery; Azure
 * could not create a machine then.
 */
export async function verifyActive(scope: AzureScope): Promise<Outcome> {
  const { history, bootImage } = renewalOf(scope);
  const active = history.find(({ state }) => state === "Active");
  if (!bootImage || !active || !isVerifiedNow(scope)) return next;
  if (await read(scope, active.id)) return next;
  const rest = withoutActive(history);
  const after = rest.find(({ state }) => state === "Active");
  change(scope, { history: rest, bootImage: after ? bootImage : undefined });
  const to = after ? `version ${after.version}` : "the image in the spec";
  const message = `Version ${active.version} was deleted by another client: new machines boot from ${to}`;
  scope.context.event({ type: "Warning", reason: "PrototypeVersionLost", message });
  return again(0, "PrototypeVersionLost");
}

/** Azure may publish the next version for hours: meanwhile the active one is read as rarely as between renewals. */
function isVerifiedNow({ owner, context, shared, ownerKey }: AzureScope): boolean {
  const { phase } = recordOf({ owner });
  if (phase === "Idle") return true;
  const nowMs = context.env.clock.now();
  const isDue = nowMs - (shared.verified.get(ownerKey) ?? -Infinity) >= VERIFY_MS;
  if (phase !== "Publishing" || !isDue) return false;
  shared.verified.set(ownerKey, nowMs);
  return true;
}

/** Deletes versions beyond the kept ones; one at a time is enough. */
export async function collect(scope: AzureScope): Promise<Outcome> {
  const { history } = renewalOf(scope);
  const [surplus] = recordOf(scope).phase === "Idle" ? surplusOf(history) : [];
  if (!surplus) return next;
  if (!(await isCollected(scope, surplus))) return again(SOON_MS, "Collecting");
  change(scope, { history: history.filter(({ id }) => id !== surplus.id) });
  return again(0, "Collecting");
}

/** Deletes a version, and its definition with the last version of an earlier base image; returns whether they are gone. */
async function isCollected(scope: AzureScope, surplus: HistoryEntry): Promise<boolean> {
  if (!(await deleted(scope, surplus.id))) return false;
  const definition = definitionIn(surplus);
  const others = renewalOf(scope).history.filter((one) => one.id !== surplus.id);
  const used = [scope.azure.definitionID, ...others.map(definitionIn)];
  return used.some((id) => sameArmId(id, definition)) || (await deleted(scope, definition));
}

function definitionIn({ id }: HistoryEntry): string {
  return id.split("/versions/")[0] ?? "";
}

/** Removes everything that a pool has in the gallery, once nothing boots from it; returns whether all is gone. */
export async function removeAll(scope: AzureScope): Promise<boolean> {
  const { history, bootImage } = renewalOf(scope);
  const inGallery = (await readAll(scope, `${scope.azure.galleryID}/images`)).filter((body) =>
    isOfOwner(body, scope),
  );
  // Definitions of earlier releases have no tag of their owner.
  const recorded = [...history.map(definitionIn), ...(bootImage ? [bootImage.id] : [])];
  if (!(await sweep(scope))) return false;
  for (const definition of new Set([...recorded, ...inGallery.map((body) => textIn(body, "id"))]))
    if (!(await removeDefinition(scope, definition))) return false;
  return true;
}

async function removeDefinition(scope: AzureScope, definition: string): Promise<boolean> {
  const versions = (await readAll(scope, `${definition}/versions`)).filter((body) => isOfOwner(body, scope));
  for (const body of versions) await deleted(scope, textIn(body, "id"));
  return versions.length === 0 && (await deleted(scope, definition));
}
