import type { TraceEvent } from "../trace/trace-event.ts";
import type { RunFacts } from "./summary.ts";

/** What a verdict is about. */
interface JudgedRun {
  readonly events: readonly TraceEvent[];
  readonly facts: Pick<RunFacts, "pools">;
  readonly failure?: { readonly name: string; readonly says: string };
}

/** The result of a run in one line. */
export function verdictText({ events, facts: { pools }, failure }: JudgedRun): string {
  if (failure) return `FAILED: ${violationIn(events) ?? `${failure.name}, ${failure.says}`}\n`;
  const lows = pools.flatMap(({ name, lowest }) =>
    lowest ? [{ name, text: `never below ${lowest.available} of ${lowest.of}` }] : [],
  );
  const [only, ...others] = lows;
  if (!only) return "PASSED: every step succeeded\n";
  if (others.length === 0) return `PASSED: ${only.text}\n`;
  return `PASSED: ${lows.map(({ name, text }) => `${name} ${text}`).join(", ")}\n`;
}

function violationIn(events: readonly TraceEvent[]): string | undefined {
  const texts = events.flatMap(({ happening }) =>
    happening.kind === "violation" ? [`${happening.invariant}, ${happening.text}`] : [],
  );
  return texts[0];
}
