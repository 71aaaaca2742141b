import type { Lane } from "@capstan/page";
import type { LaneRecord } from "./lane-history.ts";
import { type LaneLook, laneOf, toneOf } from "./lane.ts";

interface Drawn extends Pick<LaneLook, "group" | "forecast"> {
  readonly record: LaneRecord;
  readonly lane: Lane;
}

/** Lanes as they were drawn last: one that has not changed is the same object, which a stream need not compare. */
export class DrawnLanes {
  #drawn = new Map<string, Drawn>();

  /** Draws all lanes of a rollout; those that are not among them any more are forgotten. */
  draw(records: readonly LaneRecord[], lookOf: (record: LaneRecord) => LaneLook): readonly Lane[] {
    const next = new Map<string, Drawn>();
    const lanes = records.map((record) => {
      const look = lookOf(record);
      const before = this.#drawn.get(record.uid);
      const isSame =
        before?.record === record &&
        before.group === look.group &&
        before.forecast === look.forecast &&
        before.lane.tone === toneOf(record, look.nowMs);
      const drawn = isSame ? before : { record, ...look, lane: laneOf(record, look) };
      next.set(record.uid, drawn);
      return drawn.lane;
    });
    this.#drawn = next;
    return lanes;
  }
}
