import type { TraceEvent } from "../trace/trace-event.ts";

// The Nodes of machines are in the story themselves.
const MACHINE = /^\w*Machine /;

/**
 * The events of a short story: what users, Azure, machines and nodes do, and when an object becomes Ready. Most events of
 * a run are conditions that say why an object is not Ready yet.
 */
export function shortStory(events: readonly TraceEvent[]): readonly TraceEvent[] {
  return events.filter(({ happening }) => {
    if (happening.kind !== "condition") return true;
    const { object, type, status } = happening;
    return type === "Ready" && status === "True" && !MACHINE.test(object);
  });
}
