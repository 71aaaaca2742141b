import type { RolloutHead } from "../../protocol.ts";
import { clockText, durationText } from "../time.ts";
import type { TimeAxis } from "./time-axis.ts";

const WIDTH = 1000;
const HEIGHT = 90;
const TOP = 8;

/** What is drawn: the levels, the budget, and what a screen reader says of them. */
interface Levels extends Pick<RolloutHead, "levels" | "floor" | "beganMs"> {
  readonly numbers: {
    readonly machines: Pick<RolloutHead["numbers"]["machines"], "desired" | "available">;
  };
}

/** How many machines were available, against the budget as a line, on the axis of the lanes. */
export function Availability({ head, axis }: { readonly head: Levels; readonly axis: TimeAxis }) {
  const { levels, floor, numbers, beganMs } = head;
  const most = Math.max(1, numbers.machines.desired, ...levels.map(([, available]) => available));
  const x = (ms: number): number => Math.round(axis.at(ms) * WIDTH * 10) / 10;
  const y = (count: number): number => Math.round(HEIGHT - (count / most) * (HEIGHT - TOP));
  const shown = levels.filter(
    ([atMs], index) => atMs >= axis.fromMs || (levels[index + 1]?.[0] ?? Infinity) >= axis.fromMs,
  );
  const end = Math.min(axis.nowMs, axis.toMs);
  const path = shown
    .flatMap(([atMs, available], index) => {
      const toMs = shown[index + 1]?.[0] ?? end;
      return [`${x(atMs)},${y(available)}`, `${x(toMs)},${y(available)}`];
    })
    .join(" ");
  const budget = floor === undefined ? "" : `, at least ${floor} must be`;
  return (
    <div class="availability">
      <div class="scale">
        <span style={{ top: `${y(most)}px` }}>{most} available</span>
        {floor !== undefined && floor < most && (
          <span class="floor" style={{ top: `${y(floor)}px` }}>
            budget {floor}
          </span>
        )}
      </div>
      <div class="curve">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${numbers.machines.available} of ${numbers.machines.desired} machines are available${budget}`}
        >
          {axis.ticks.map((tick) => (
            <line key={tick} class="grid" x1={x(tick)} x2={x(tick)} y1={0} y2={HEIGHT} />
          ))}
          <polyline class="available" points={path} />
          {floor !== undefined && <line class="budget" x1={0} x2={WIDTH} y1={y(floor)} y2={y(floor)} />}
          <line class="now" x1={x(axis.nowMs)} x2={x(axis.nowMs)} y1={0} y2={HEIGHT} />
        </svg>
        <div class="ticks" aria-hidden="true">
          {axis.ticks.map((tick) => (
            <span key={tick} style={{ left: `${axis.at(tick) * 100}%` }} title={clockText(tick)}>
              {tick < beganMs ? `−${durationText(beganMs - tick)}` : `+${durationText(tick - beganMs)}`}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}
