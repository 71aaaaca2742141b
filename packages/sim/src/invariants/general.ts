import type { Invariant } from "./invariant.ts";
import { noHotLoop } from "./no-hot-loop.ts";
import { nothingLost } from "./nothing-lost.ts";
import { retryAfterHonoured } from "./retry-after-honoured.ts";
import { singleWriter } from "./single-writer.ts";

/** What must hold in every world, whatever its controllers do. */
export const GENERAL_INVARIANTS: readonly Invariant[] = [
  noHotLoop,
  nothingLost,
  retryAfterHonoured,
  singleWriter,
];
