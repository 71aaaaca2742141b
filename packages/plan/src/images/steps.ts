/** The decisions within a renewal: from what was observed to the next step. All are pure and level-based. */
import { FOREIGN_GALLERY } from "./definition.ts";

/** Whether the donor's virtual machine runs; `stuck` while it changes although the operation that changed it has failed. */
export type DonorPower = "running" | "starting" | "stopping" | "stopped" | "stuck" | "unknown" | "gone";

/** A next step, and why. */
interface Why {
  readonly why: string;
}

/** What becomes of the donor's machine before the snapshot. */
export type StopStep = Why & { readonly do: "powerOff" | "wait" | "stopped" | "giveUp" };

/** Stops the donor. A second request to stop is harmless, so nothing has to be remembered. */
export function decideStop(power: DonorPower): StopStep {
  switch (power) {
    case "running":
    case "starting":
      return { do: "powerOff", why: "the donor runs" };
    case "stuck":
      return { do: "powerOff", why: "Azure's last operation on the donor has failed midway" };
    case "stopped":
      return { do: "stopped", why: "the donor is stopped" };
    case "gone":
      return { do: "giveUp", why: "the donor's instance is gone" };
    case "stopping":
    case "unknown":
      return { do: "wait", why: "the donor is stopping" };
  }
}

/** The snapshot as Azure has it. */
export interface SnapshotFacts {
  readonly state: string;
  /** The renewal that it was made for, by its tag. */
  readonly cycleID: string;
  readonly source: string;
}

/** What becomes of the snapshot. */
export type SnapshotStep = Why & { readonly do: "create" | "wait" | "done" | "giveUp" };

/**
 * Takes the snapshot while the donor is stopped, and only then: otherwise pods could be scheduled during it. A renewal creates
 * its snapshot only after the stop, so its tag proves the order; the clocks of Azure and of the manager may differ.
 */
export function decideSnapshot(
  snapshot: SnapshotFacts | undefined,
  donor: { readonly power: DonorPower; readonly cycleID: string; readonly osDiskID: string },
): SnapshotStep {
  if (donor.power === "gone") return { do: "giveUp", why: "the donor's instance is gone" };
  if (donor.power !== "stopped")
    return {
      do: "giveUp",
      why: `another client has started the donor: Azure says that it is ${donor.power}`,
    };
  if (!snapshot) return { do: "create", why: "the donor is stopped" };
  if (snapshot.source.toLowerCase() !== donor.osDiskID.toLowerCase())
    return { do: "giveUp", why: `a snapshot of that name exists, of ${snapshot.source}` };
  if (snapshot.cycleID !== donor.cycleID)
    return { do: "giveUp", why: "a snapshot of that name exists, which this renewal has not made" };
  if (snapshot.state === "Succeeded") return { do: "done", why: "the snapshot is complete" };
  if (snapshot.state === "Failed") return { do: "giveUp", why: "Azure says that the snapshot has failed" };
  return { do: "wait", why: `the snapshot is ${snapshot.state}` };
}

/** The donor on its way back. */
export interface ReturnFacts {
  readonly power: DonorPower;
  /** The state of its Node; `old` is the Node of the boot before the stop, which Kubernetes still believes. */
  readonly node: "ready" | "notReady" | "old" | "gone" | "unknown";
  readonly isDeleting: boolean;
  readonly isOverdue: boolean;
}

/** What brings the donor back. */
export type ReturnStep = Why & { readonly do: "start" | "wait" | "release" | "replace" | "forget" };

/** Brings the donor back. This is retried for ever; a donor that does not come back in time is replaced. */
export function decideReturn({ power, node, isDeleting, isOverdue }: ReturnFacts): ReturnStep {
  if (power === "gone") return { do: "forget", why: "the donor's instance is gone" };
  if (isDeleting) return { do: "forget", why: "the donor's machine is being deleted" };
  if (power === "running" && node === "ready") return { do: "release", why: "the donor's Node is Ready" };
  if (isOverdue && node !== "unknown") return { do: "replace", why: "the donor did not come back in time" };
  if (power === "stopped") return { do: "start", why: "the donor is stopped" };
  // No operation runs that would end this state.
  if (power === "stuck") return { do: "start", why: "Azure's last operation on the donor has failed midway" };
  if (power !== "running") return { do: "wait", why: `the donor is ${power}` };
  return { do: "wait", why: "the donor runs, and its Node is not Ready yet" };
}

/** A resource of the gallery: its state in Azure, or undefined when it does not exist. */
export type GalleryState = string | undefined;

/** What publishes the version. */
export type PublishStep = Why & {
  readonly do:
    | "createGallery"
    | "createDefinition"
    | "createVersion"
    | "deleteVersion"
    | "wait"
    | "done"
    | "giveUp";
};

/** How often a version that failed is made again from the same snapshot. */
const MOST_ATTEMPTS = 3;

/** The parts of the gallery, and the snapshot that the version is made from. */
export interface PublishFacts {
  readonly gallery: GalleryState;
  /** Whether the gallery belongs to another owner, whose readers could read the identity of the donor. */
  readonly isForeignGallery: boolean;
  readonly definition: GalleryState;
  /** Why the definition does not take the image; undefined if it does. */
  readonly mismatch: string | undefined;
  readonly version: GalleryState;
  readonly snapshot: GalleryState;
  readonly attempt: number;
  readonly isOverdue: boolean;
}

/** Publishes the version. A version that failed must be deleted before it is made again. */
export function decidePublish(facts: PublishFacts): PublishStep {
  const { version, isOverdue } = facts;
  if (version === "Succeeded") return { do: "done", why: "the version is complete" };
  if (isOverdue) return { do: "giveUp", why: "the version was not complete in time" };
  return galleryStep(facts) ?? versionStep(facts);
}

function galleryStep(facts: PublishFacts): PublishStep | undefined {
  const { gallery, isForeignGallery, definition, mismatch } = facts;
  if (isForeignGallery)
    return {
      do: "giveUp",
      why: `the gallery ${FOREIGN_GALLERY}`,
    };
  if (gallery === undefined) return { do: "createGallery", why: "the cluster has no gallery yet" };
  if (isPending(gallery)) return { do: "wait", why: `the gallery is ${gallery}` };
  if (definition === undefined)
    return { do: "createDefinition", why: "the pool has no image definition yet" };
  if (mismatch !== undefined) return { do: "giveUp", why: mismatch };
  return isPending(definition) ? { do: "wait", why: `the image definition is ${definition}` } : undefined;
}

function versionStep({ version, snapshot, attempt }: PublishFacts): PublishStep {
  if (version === "Failed") {
    if (attempt >= MOST_ATTEMPTS) return { do: "giveUp", why: `the version failed ${attempt} times` };
    return { do: "deleteVersion", why: "the version failed, and must be deleted before it is made again" };
  }
  if (version !== undefined) return { do: "wait", why: `the version is ${version}` };
  if (snapshot === undefined) return { do: "giveUp", why: "the snapshot is gone" };
  return { do: "createVersion", why: "the snapshot is complete" };
}

function isPending(state: string): boolean {
  return state !== "Succeeded" && state !== "Failed";
}

/** What makes a version the one that new machines boot from. */
export type PromoteStep = Why & { readonly do: "include" | "wait" | "awaitModel" | "record" | "discard" };

/** Promotes a version: Azure must take it for the latest, and the scale set must name its definition. */
export function decidePromote(facts: {
  readonly version: GalleryState;
  readonly isExcluded: boolean;
  /** Whether base image and Kubernetes version are still those that the version was made for. */
  readonly isCurrentBase: boolean;
  readonly isInModel: boolean;
}): PromoteStep {
  const { version, isExcluded, isCurrentBase, isInModel } = facts;
  if (!isCurrentBase)
    return { do: "discard", why: "the image or the Kubernetes version of the pool has changed since" };
  if (version === undefined) return { do: "discard", why: "the version is gone" };
  if (version === "Failed") return { do: "discard", why: "Azure says that the version has failed" };
  if (isPending(version)) return { do: "wait", why: `the version is ${version}` };
  if (isExcluded) return { do: "include", why: "the version is complete" };
  if (!isInModel)
    return { do: "awaitModel", why: "the pool controller has to write the definition into the scale set" };
  return { do: "record", why: "new machines boot from the version" };
}
