import type { TraceEvent } from "../trace/trace-event.ts";
import { clockText } from "./clock-text.ts";
import { eventText } from "./event-text.ts";

/** A run in which something did not hold. */
export interface FailedRun {
  /** What was broken: its name, and what it says of every world. */
  readonly invariant: { readonly name: string; readonly says: string };
  readonly events: readonly TraceEvent[];
  /** The command that makes it happen again. */
  readonly command: string;
}

const EVENTS_SHOWN = 20;

/** Tells which invariant does not hold, where, what came before, and how to see it again. */
export function failureReport({ invariant, events, command }: FailedRun): string {
  const index = events.findIndex(
    ({ happening }) => happening.kind === "violation" && happening.invariant === invariant.name,
  );
  const violation = events[index];
  const end = violation ? index + 1 : events.length;
  const shown = events.slice(Math.max(0, end - EVENTS_SHOWN), end);
  return [
    `${invariant.name} does not hold: ${invariant.says}`,
    ...(violation ? [whereText(violation)] : []),
    "",
    shown.length === end ? "all events until then:" : `the last ${shown.length} of ${end} events:`,
    ...shown.map((event) => `  ${eventText(event)}`),
    "",
    "replay it with:",
    `  ${command}`,
    "",
  ].join("\n");
}

function whereText({ atMs, step, happening }: TraceEvent): string {
  const text = happening.kind === "violation" ? `: ${happening.text}` : "";
  return `at step ${step}, ${clockText(atMs)}${text}`;
}
