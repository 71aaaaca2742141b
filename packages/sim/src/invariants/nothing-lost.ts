import type { Invariant } from "./invariant.ts";

/** Annotations that users put on our objects stay. */
export const nothingLost: Invariant = {
  name: "nothing-lost",
  says: "an annotation that a user puts on one of our objects stays there",
  watch: (truth) => ({ happened: () => truth.lostNotes[0] }),
};
