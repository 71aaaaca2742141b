import { formatTimestamp, type Frozen, type Node, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import { again, type Outcome, shortHash } from "@capstan/runtime";
import { ownerOf } from "../../../azure-cluster/spec-view.ts";
import {
  cycleIDOf,
  galleryRefusalOf,
  imageContentsOf,
  isOwned,
  type PrototypeRecord,
  snapshotName,
  type StartDecision,
  prototypeVersionOf,
} from "@capstan/plan";
import { listed } from "../../../pools/names.ts";
import {
  type AzureScope,
  instanceIDOf,
  type InstanceWithDisk,
  objectIn,
  read,
  readInstance,
} from "../gallery/azure-reads.ts";
import { nodeOf } from "../fleet/candidates.ts";
import { nodesOf } from "../fleet/donor-node.ts";
import type { FleetMachine } from "../fleet/fleet.ts";
import { moveTo } from "../scope.ts";

const RETRY_MS = 15_000;
// No event tells that a gallery has changed.
const REFUSED_MS = 10 * 60_000;
const GALLERY_UNUSABLE = "GalleryUnusable";

type Start = Extract<StartDecision, { do: "start" }>;

/** Writes the donor and the name of the renewal before anything is done to the donor. */
export async function begin(scope: AzureScope, start: Start): Promise<Outcome> {
  const { context } = scope;
  const machine = scope.fleet.machines().find(({ facts }) => facts.machine === start.donor);
  const nodes = await nodesOf(scope);
  const node = machine && nodes && nodeOf(nodes, machine);
  if (!node) return again(RETRY_MS, "DonorGone");
  const found = await readInstance(scope, instanceIDOf(scope, machine.instanceID));
  if (!found) return again(RETRY_MS, "DonorGone");
  const refusal = await galleryRefusal(scope, found);
  if (refusal !== undefined) return refuse(scope, refusal);
  const nowMs = context.env.clock.now();
  await moveTo(scope, "Protecting", {
    ...FRESH,
    ...renewalAt(scope, nowMs),
    fingerprint: shortHash(imageContentsOf(node)),
    ...(start.isRequested && { isRequested: true }),
    donor: donorOf(scope, machine, { node, found }),
  });
  const others = start.passedOver.map((one) => `${one.machine} (${one.why})`);
  const rest = others.length > 0 ? `; passed over: ${listed(others)}` : "";
  const message = `Renewal ${cycleIDOf(nowMs)}: ${start.why}${rest}`;
  context.event({ type: "Normal", reason: "PrototypeStarted", message });
  return again(0, "Protecting");
}

/** Why the gallery or the definition that exists cannot take an image of the donor. Found later, it would cost a drain. */
async function galleryRefusal(
  scope: AzureScope,
  { body: machine }: InstanceWithDisk,
): Promise<string | undefined> {
  const { galleryID, definitionID, plan } = scope.azure;
  const gallery = await read(scope, galleryID);
  const definition = gallery && (await read(scope, definitionID));
  return galleryRefusalOf({
    gallery: gallery && { id: galleryID, isOwned: isOwned(gallery, ownerOf(plan)) },
    definition: definition && { id: definitionID, properties: objectIn(definition, "properties") },
    machine,
  });
}

/** Waits until a user has changed what does not fit; meanwhile other renewals of the cluster may begin. */
function refuse(scope: AzureScope, why: string): Outcome {
  scope.note = { reason: GALLERY_UNUSABLE, why };
  scope.shared.ports.prototypeClaims.delete(scope.ownerKey);
  return again(REFUSED_MS, GALLERY_UNUSABLE);
}

/** What an earlier renewal has left in the record. */
const FRESH = {
  attempt: 1,
  isRequested: undefined,
  succeeded: undefined,
  nextAttemptTime: undefined,
  lastError: undefined,
  previousImage: undefined,
  timeline: [],
} as const;

/** The names of the renewal and of everything that is created for it. */
function renewalAt({ azure, owner, fleet }: AzureScope, nowMs: number): Partial<PrototypeRecord> {
  const cycleID = cycleIDOf(nowMs);
  const { version, baseImage } = fleet;
  const trigger = owner.metadata.annotations?.[PROTOTYPE_NOW_ANNOTATION];
  const [gallery = "", , definition = ""] = azure.definitionID.split("/").slice(-3);
  return {
    cycleID,
    startedAt: formatTimestamp(nowMs),
    baseImage,
    ...(version !== undefined && { kubernetesVersion: version }),
    ...(trigger !== undefined && { observedTrigger: trigger }),
    snapshot: { name: snapshotName(owner.metadata.name, cycleID) },
    imageVersion: { gallery, definition, version: prototypeVersionOf(nowMs, 1) },
  };
}

function donorOf(
  { settings }: AzureScope,
  machine: FleetMachine,
  { node, found }: { readonly node: Frozen<Node>; readonly found: InstanceWithDisk },
): NonNullable<PrototypeRecord["donor"]> {
  const { name, uid = "" } = node.metadata;
  const { bootID = "" } = node.status?.nodeInfo ?? {};
  return {
    mode: settings?.donor ?? "Restart",
    machine: machine.facts.machine,
    nodeName: name,
    nodeUID: uid,
    bootID,
    instanceID: machine.instanceID,
    providerID: machine.providerID,
    vmID: found.instance.vmID ?? "",
    osDiskID: found.osDiskID,
  };
}
