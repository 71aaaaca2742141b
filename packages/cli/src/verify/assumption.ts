import type { Trial } from "./trial.ts";

/** What a check saw. */
export interface Finding {
  readonly verdict: "holds" | "differs";
  readonly saw: string;
}

/** One assumption about Azure that decisions of Capstan rest on, and how to check it on a subscription. */
export interface Assumption {
  readonly id: string;
  readonly assumes: string;
  /** What goes wrong in Capstan if Azure does otherwise. */
  readonly breaks: string;
  /** Where Azure says so in public. */
  readonly source: string;
  /** The test that holds the simulated Azure to it. */
  readonly simulated: string;
  /** Assumptions whose resources this check uses. */
  readonly needs: readonly string[];
  readonly check: (trial: Trial) => Promise<Finding>;
}

/** Holds if it is so; the same words say what was seen in both cases. */
export function seen(isAsAssumed: boolean, saw: string): Finding {
  return { verdict: isAsAssumed ? "holds" : "differs", saw };
}
