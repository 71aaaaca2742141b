import type { Lane, LaneForecast, Tone } from "@capstan/page";
import { hasTrouble } from "../../describe/trouble.ts";
import type { LaneRecord } from "./lane-history.ts";

/** How a machine is shown. */
export interface LaneLook {
  readonly group: string;
  readonly forecast: readonly LaneForecast[];
  readonly nowMs: number;
}

/** A machine as a lane. */
export function laneOf(record: LaneRecord, { group, forecast, nowMs }: LaneLook): Lane {
  const { machine, segments, goneMs } = record;
  const { name, namespace = "" } = machine.metadata;
  return {
    key: record.uid,
    name,
    kind: machine.kind,
    namespace,
    group: goneMs === undefined ? group : "gone",
    tone: toneOf(record, nowMs),
    segments,
    forecast: goneMs === undefined ? forecast : [],
    message: segments.at(-1)?.message ?? "",
    ...(goneMs !== undefined && { goneMs }),
  };
}

/** How a machine stands. */
export function toneOf({ machine, segments, goneMs }: LaneRecord, nowMs: number): Tone {
  if (goneMs !== undefined) return "unknown";
  if (hasTrouble(machine, nowMs)) return "bad";
  return segments.at(-1)?.phase === "ready" ? "good" : "waiting";
}
