import type { Invariant } from "./invariant.ts";
import { noHotLoop } from "./no-hot-loop.ts";
import { nothingLost } from "./nothing-lost.ts";
import { retryAfterHonoured } from "./retry-after-honoured.ts";
import { singleWriter } from "./single-writer.ts";

/** The invariants of every world, for any controllers. */
export const GENERAL_INVARIANTS: readonly Invariant[] = [
  noHotLoop,
  nothingLost,
  retryAfterHonoured,
  singleWriter,
];
