import type { Happening, TraceEvent } from "./trace-event.ts";

/** The states that were seen in a run, and how often: conditions, faults, and what became of processes and nodes. */
export function reachedStates(events: readonly TraceEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { happening } of events) {
    const state = stateOf(happening);
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return counts;
}

function stateOf(happening: Happening): string | undefined {
  switch (happening.kind) {
    case "condition":
      return `condition ${happening.type} ${happening.status} ${happening.reason}`;
    case "fault":
      return `fault ${happening.fault}`;
    case "process":
    case "node":
    case "machine":
      return `${happening.kind} ${happening.event}`;
    case "guestFailure":
      return `guest ${happening.reason}`;
    case "step":
    case "write":
    case "arm":
    case "violation":
      return undefined;
  }
}
