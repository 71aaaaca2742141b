import type { TraceEvent } from "../trace/trace-event.ts";
import { clockText } from "./clock-text.ts";
import { eventText } from "./event-text.ts";

/** A run with a violation. */
export interface FailedRun {
  /** The violated invariant: its name and its statement. */
  readonly invariant: { readonly name: string; readonly says: string };
  readonly events: readonly TraceEvent[];
  /** The command that reproduces it. */
  readonly command: string;
}

const EVENTS_SHOWN = 20;

/** Reports the violated invariant, the time, the events before it, and how to reproduce it. */
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
