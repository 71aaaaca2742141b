import { AzureError } from "@capstan/azure";
import type { Assumption } from "./assumption.ts";
import type { Trial } from "./trial.ts";

/** What came of one assumption. */
export interface Checked {
  readonly assumption: Assumption;
  readonly verdict: "holds" | "differs" | "not checked";
  readonly saw: string;
}

/** Who is told about the progress. */
export interface CheckListener {
  readonly begins: (assumption: Assumption) => void;
  readonly ended: (checked: Checked) => void;
}

/**
 * Checks one assumption after the other. One that Azure refuses to try differs; those that need its resources are not checked.
 * Any other failure, such as Ctrl-C, ends the run.
 */
export async function runChecks(
  trial: Trial,
  assumptions: readonly Assumption[],
  listener: CheckListener,
): Promise<readonly Checked[]> {
  const all: Checked[] = [];
  for (const assumption of assumptions) {
    listener.begins(assumption);
    const checked = { assumption, ...(await verdictOn(trial, assumption, all)) };
    all.push(checked);
    listener.ended(checked);
  }
  return all;
}

async function verdictOn(
  trial: Trial,
  { needs, check }: Assumption,
  earlier: readonly Checked[],
): Promise<Omit<Checked, "assumption">> {
  const missing = needs.filter((id) =>
    earlier.every(({ assumption, verdict }) => assumption.id !== id || verdict !== "holds"),
  );
  if (missing.length > 0)
    return { verdict: "not checked", saw: `it needs what ${missing.join(", ")} would have created` };
  try {
    return await check(trial);
  } catch (error) {
    if (!(error instanceof AzureError)) throw error;
    // Nothing about Azure is learnt from a request that did not arrive, or that was not allowed.
    const isAnswer = !["Auth", "Transient", "Throttled", "Quota", "Capacity"].includes(error.class);
    return {
      verdict: isAnswer ? "differs" : "not checked",
      saw: `Azure answered ${error.code}: ${error.message}`,
    };
  }
}

/** All that the chosen assumptions need, in the order in which it is checked. */
export function withNeeds(all: readonly Assumption[], chosen: readonly string[]): readonly Assumption[] {
  const desired = new Set(chosen);
  // A need comes before what needs it, so one way back through the list finds all.
  for (const { id, needs } of all.toReversed())
    if (desired.has(id)) for (const need of needs) desired.add(need);
  return all.filter(({ id }) => desired.has(id));
}
