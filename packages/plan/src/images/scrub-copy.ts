/** The decisions about the copy of a donor's disk from which the identity is removed. All are pure and level-based. */
import type { DonorPower, GalleryState } from "./steps.ts";

/** What exists of the copy in Azure. */
export interface ScrubFacts {
  /** The snapshot of the donor's disk. */
  readonly snapshot: GalleryState;
  readonly disk: GalleryState;
  readonly networkInterface: GalleryState;
  /** The virtual machine that boots from the disk; undefined when it does not exist. */
  readonly helper: { readonly state: string; readonly power: DonorPower; readonly error: string } | undefined;
  /** The snapshot of the disk after the scrub. */
  readonly scrubbed: GalleryState;
  /** A resource of one of these names that this renewal has not made. */
  readonly foreign: string | undefined;
  /** Why the identity is removed at the first boot of each new node instead; undefined while the copy is used. */
  readonly refused: string | undefined;
  readonly isOverdue: boolean;
}

/** What is done next with the copy. */
export type ScrubStep = { readonly why: string } & (
  | {
      readonly do:
        | "createDisk"
        | "createInterface"
        | "createHelper"
        | "takeSnapshot"
        | "wait"
        | "deleteHelper"
        | "done"
        | "giveUp";
    }
  /** Azure has no machine for the helper. */
  | { readonly do: "refuse" }
);

/** Removes the identity on a copy: a disk, a machine that boots from it and powers itself off, and a snapshot of the disk. */
export function decideScrub(facts: ScrubFacts): ScrubStep {
  const { scrubbed, refused, isOverdue, snapshot, foreign } = facts;
  if (refused !== undefined || scrubbed === "Succeeded") return cleaning(facts);
  if (foreign !== undefined)
    return { do: "giveUp", why: `${foreign} exists, and this renewal has not made it; delete or rename it` };
  if (scrubbed === "Failed")
    return { do: "giveUp", why: "Azure says that the snapshot of the copy has failed" };
  if (isOverdue) return { do: "giveUp", why: late(facts) };
  if (scrubbed !== undefined) return { do: "wait", why: `the snapshot of the copy is ${scrubbed}` };
  if (snapshot === undefined) return { do: "giveUp", why: "the snapshot of the donor is gone" };
  return partOf("disk", facts.disk) ?? partOf("interface", facts.networkInterface) ?? helperStep(facts);
}

function cleaning({ helper, networkInterface, disk, refused }: ScrubFacts): ScrubStep {
  if (helper || networkInterface !== undefined || disk !== undefined)
    return { do: "deleteHelper", why: "the helper VM is not needed any more" };
  const why = refused === undefined ? "the copy has no identity" : "the helper VM was refused";
  return { do: "done", why };
}

const PARTS = {
  disk: { create: "createDisk", name: "disk of the copy" },
  interface: { create: "createInterface", name: "network interface of the helper VM" },
} as const;

function partOf(part: keyof typeof PARTS, state: GalleryState): ScrubStep | undefined {
  const { create, name } = PARTS[part];
  if (state === "Succeeded") return undefined;
  if (state === undefined) return { do: create, why: `the ${name} does not exist yet` };
  if (state === "Failed") return { do: "giveUp", why: `Azure says that the ${name} has failed` };
  return { do: "wait", why: `the ${name} is ${state}` };
}

function helperStep({ helper }: ScrubFacts): ScrubStep {
  if (!helper) return { do: "createHelper", why: "the copy is ready to boot" };
  if (helper.state === "Failed") return { do: "refuse", why: helper.error };
  // A machine that was never on is not stopped yet: only its guest stops it.
  if (helper.power === "stopped" && helper.state === "Succeeded")
    return { do: "takeSnapshot", why: "the helper VM has powered itself off" };
  return { do: "wait", why: "the helper VM removes the identity of the donor" };
}

function late({ helper }: ScrubFacts): string {
  return helper?.power === "running"
    ? "the helper VM did not power itself off in time, so the scrub has failed or hangs: the serial log of the helper VM of the next renewal says why"
    : "the copy was not ready in time";
}
