import type { Happening, TraceEvent } from "./trace-event.ts";

/** The states reached in a run, and how often: conditions, faults, and events of processes and nodes. */
export function reachedStates(events: readonly TraceEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { happening } of events) {
    const state = stateOf(happening);
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return counts;
}

function stateOf(happening: Happening): string | undefined {
  if (happening.kind === "condition")
    return `condition ${happening.type} ${happening.status} ${happening.reason}`;
  if (happening.kind === "fault") return `fault ${happening.fault}`;
  if (happening.kind === "guestFailure") return `guest ${happening.reason}`;
  return "event" in happening ? `${happening.kind} ${happening.event}` : undefined;
}
