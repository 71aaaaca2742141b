import type { Invariant } from "./invariant.ts";

/** What users write on our objects and is not ours stays. */
export const nothingLost: Invariant = {
  name: "nothing-lost",
  says: "an annotation that a user puts on one of our objects stays there",
  watch: (truth) => ({ happened: () => truth.lostNotes[0] }),
};
