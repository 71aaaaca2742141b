import type { TraceEvent } from "../trace/trace-event.ts";
import type { HappeningOf } from "./event-text.ts";

/** What became of a Node, in order. */
export interface NodeHistory {
  readonly cluster: string;
  readonly node: string;
  readonly steps: readonly { readonly atMs: number; readonly event: HappeningOf<"node">["event"] }[];
}

/** The Nodes of a run, in the order in which they joined. */
export function nodeHistories(events: readonly TraceEvent[]): readonly NodeHistory[] {
  const histories = new Map<
    string,
    { cluster: string; node: string; steps: NodeHistory["steps"][number][] }
  >();
  for (const { atMs, happening } of events) {
    if (happening.kind !== "node") continue;
    const { cluster, node, event } = happening;
    const key = `${cluster}/${node}`;
    const history = histories.get(key) ?? { cluster, node, steps: [] };
    history.steps.push({ atMs, event });
    histories.set(key, history);
  }
  return [...histories.values()];
}
