import { formatTimestamp, type Frozen, type Node, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import { again, type Outcome, shortHash } from "@capstan/runtime";
import { ownerOf } from "../../../azure-cluster/spec-view.ts";
import { AzureError } from "@capstan/azure";
import {
  cycleIDOf,
  galleryRefusalOf,
  imageContentsOf,
  limitRefusalOf,
  isOwned,
  type PrototypeRecord,
  snapshotName,
  type StartDecision,
  prototypeVersionOf,
} from "@capstan/plan";
import { readQuotas } from "../../../in-place/azure/observe.ts";
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
import { moveTo, type Scope } from "../scope.ts";

const RETRY_MS = 15_000;
// No event tells that a gallery has changed.
const REFUSED_MS = 10 * 60_000;

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
  const refusal = await refusalOf(scope, found);
  if (refusal) return refuse(scope, refusal);
  const nowMs = context.env.clock.now();
  await moveTo(scope, "Protecting", {
    ...FRESH,
    ...renewalAt(scope, nowMs),
    fingerprint: shortHash(imageContentsOf(node)),
    imageCount: imagesOn(node),
    ...(start.isRequested && { isRequested: true }),
    donor: donorOf(machine, { node, found }),
  });
  const others = start.passedOver.map((one) => `${one.machine} (${one.why})`);
  const rest = others.length > 0 ? `; passed over: ${listed(others)}` : "";
  const message = `Renewal ${cycleIDOf(nowMs)}: ${start.why}${rest}`;
  context.event({ type: "Normal", reason: "PrototypeStarted", message });
  return again(0, "Protecting");
}

type DonorRefusal = NonNullable<Scope["note"]>;

/**
 * Why Azure would take no image of the donor: the gallery or the definition that exists does not fit, or a limit is reached.
 * Found later, it would cost a drain.
 */
async function refusalOf(
  scope: AzureScope,
  { body: machine }: InstanceWithDisk,
): Promise<DonorRefusal | undefined> {
  const { galleryID, definitionID, plan } = scope.azure;
  const gallery = await read(scope, galleryID);
  const definition = gallery && (await read(scope, definitionID));
  const unusable = galleryRefusalOf({
    gallery: gallery && { id: galleryID, isOwned: isOwned(gallery, ownerOf(plan)) },
    definition: definition && { id: definitionID, properties: objectIn(definition, "properties") },
    machine,
  });
  if (unusable !== undefined) return { reason: "GalleryUnusable", why: unusable };
  const { diskSizeGB } = objectIn(machine, "properties", "storageProfile", "osDisk");
  const limit = limitRefusalOf({
    osDiskGB: typeof diskSizeGB === "number" ? diskSizeGB : undefined,
    region: scope.azure.location,
    usages: await usagesIn(scope),
    hasGallery: gallery !== undefined,
    hasDefinition: definition !== undefined,
  });
  return limit === undefined ? undefined : { reason: "ImageLimit", why: limit };
}

/** The quotas of the region; none without the right to read them, and Azure refuses the image later. */
async function usagesIn({ azure }: AzureScope): ReturnType<typeof readQuotas> {
  try {
    return await readQuotas(azure.arm, azure.groupID.split("/")[2] ?? "", azure.location);
  } catch (error) {
    if (error instanceof AzureError) return [];
    throw error;
  }
}

/** Waits until a user has changed what does not fit; meanwhile other renewals of the cluster may begin. */
function refuse(scope: AzureScope, refusal: DonorRefusal): Outcome {
  scope.note = refusal;
  scope.shared.ports.prototypeClaims.delete(scope.ownerKey);
  return again(REFUSED_MS, refusal.reason);
}

/** How many container images a Node reports. */
export function imagesOn({ status }: Frozen<Node>): number {
  return status?.images?.length ?? 0;
}

/** What an earlier renewal has left in the record. */
const FRESH = {
  attempt: 1,
  isRequested: undefined,
  succeeded: undefined,
  scrub: undefined,
  canary: undefined,
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
  machine: FleetMachine,
  { node, found }: { readonly node: Frozen<Node>; readonly found: InstanceWithDisk },
): NonNullable<PrototypeRecord["donor"]> {
  const { name, uid = "" } = node.metadata;
  const { bootID = "", kubeletVersion } = node.status?.nodeInfo ?? {};
  return {
    machine: machine.facts.machine,
    nodeName: name,
    nodeUID: uid,
    bootID,
    instanceID: machine.instanceID,
    providerID: machine.providerID,
    vmID: found.instance.vmID ?? "",
    osDiskID: found.osDiskID,
    ...(kubeletVersion !== undefined && { kubeletVersion }),
  };
}
