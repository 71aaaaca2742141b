import type { Invariant } from "../invariant.ts";
import { backsOff, donorComesBack, oneDonor } from "./donors.ts";
import { publishesNoIdentity, sharesNoIdentity } from "./identities.ts";
import {
  bootsFromCompleteVersions,
  keepsVersionsInUse,
  leavesNoSnapshot,
  switchesWithoutReplacing,
  timestampMovesForward,
} from "./images.ts";

/** The invariants of worlds in which pools renew the images of their nodes: I1 to I10. */
export const NODE_IMAGE_INVARIANTS: readonly Invariant[] = [
  donorComesBack,
  oneDonor,
  backsOff,
  leavesNoSnapshot,
  bootsFromCompleteVersions,
  keepsVersionsInUse,
  timestampMovesForward,
  switchesWithoutReplacing,
  sharesNoIdentity,
  publishesNoIdentity,
];
