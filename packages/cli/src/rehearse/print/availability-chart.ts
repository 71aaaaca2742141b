import type { GroupFacts, MachineOutcome } from "@capstan/sim";
import { escaped } from "./html-text.ts";
import { minutes } from "./text.ts";

/** What a picture of a group shows. */
export interface ChartOptions {
  readonly group: GroupFacts;
  /** The end of the time axis: the same for pictures side by side. */
  readonly endMs: number;
  /** When this run ended: from then on nothing changes. */
  readonly runEndMs: number;
}

const WIDTH = 640;
const LEFT = 150;
const RIGHT = 8;
const CURVE_HEIGHT = 90;
const LANE_HEIGHT = 14;
// More lanes than this are a texture and not a picture.
const MOST_LANES = 40;
const MOST_NAME = 24;

/** The availability of a group against its budget, and a lane for each of its machines, as SVG. */
export function availabilityChart({ group, endMs, runEndMs }: ChartOptions): string {
  const lanes = shownLanes(group.machines).map((machine) => continued(machine, runEndMs, endMs));
  const height = CURVE_HEIGHT + 30 + lanes.length * LANE_HEIGHT + 6;
  const x = (ms: number): number =>
    round(LEFT + (Math.min(ms, endMs) / Math.max(1, endMs)) * (WIDTH - LEFT - RIGHT));
  const hidden = group.machines.length - lanes.length;
  return `<div class="chart"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(labelOf(group))}">
${axis(x, endMs, height)}
${curve(group, x, endMs)}
${lanes.map((machine, index) => lane(machine, x, CURVE_HEIGHT + 30 + index * LANE_HEIGHT)).join("\n")}
</svg></div>${hidden > 0 ? `<p class="faint">${hidden} more machines are not drawn.</p>` : ""}`;
}

function labelOf({ key, lowest, floor }: GroupFacts): string {
  const budget = floor === undefined ? "" : `, its budget is ${floor}`;
  return `${key}: at least ${lowest.available} of ${lowest.of} available${budget}`;
}

/** A machine that can do work at the end of its run goes on to do so. */
function continued(machine: MachineOutcome, runEndMs: number, endMs: number): MachineOutcome {
  const available = machine.available.map(
    ([fromMs, toMs]) => [fromMs, toMs >= runEndMs ? endMs : toMs] as const,
  );
  return machine.goneMs === undefined ? { ...machine, available } : machine;
}

type Scale = (ms: number) => number;

/** Machines that the change moves come first: the others are a line from end to end. */
function shownLanes(machines: readonly MachineOutcome[]): readonly MachineOutcome[] {
  const moved = machines.filter(({ fate }) => fate !== "untouched");
  const still = machines.filter(({ fate }) => fate === "untouched");
  return [...moved.toSorted(byBegin), ...still].slice(0, MOST_LANES);
}

function byBegin(one: MachineOutcome, other: MachineOutcome): number {
  return (one.goneMs ?? one.createdMs) - (other.goneMs ?? other.createdMs);
}

const TICKS = 4;

function axis(x: Scale, endMs: number, height: number): string {
  return Array.from({ length: TICKS + 1 }, (_, index) => {
    const ms = (endMs * index) / TICKS;
    const anchor = index === TICKS ? "end" : "middle";
    return `<line class="grid" x1="${x(ms)}" x2="${x(ms)}" y1="8" y2="${height - 6}"/><text class="tick" x="${x(ms)}" y="${CURVE_HEIGHT + 20}" text-anchor="${anchor}">+${minutes(ms)}</text>`;
  }).join("\n");
}

function curve({ levels, floor, lowest }: GroupFacts, x: Scale, endMs: number): string {
  const most = Math.max(1, lowest.of, ...levels.map(([, available]) => available));
  const y = (machines: number): number => round(CURVE_HEIGHT - (machines / most) * (CURVE_HEIGHT - 14));
  const points = levels.flatMap(([atMs, available], index) => [
    ...(index > 0 ? [`${x(atMs)},${y(levels[index - 1]?.[1] ?? 0)}`] : []),
    `${x(atMs)},${y(available)}`,
  ]);
  const last = levels.at(-1)?.[1] ?? 0;
  const line = [...points, `${x(endMs)},${y(last)}`].join(" ");
  const budget =
    floor === undefined
      ? ""
      : `<line class="budget" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(floor)}" y2="${y(floor)}"/><text class="name" x="${LEFT - 6}" y="${y(floor) + 4}" text-anchor="end">budget ${floor}</text>`;
  // A budget of all machines has its label in the same place.
  const top =
    floor === most
      ? ""
      : `<text class="name" x="${LEFT - 6}" y="12" text-anchor="end">${most} available</text>`;
  return `<polyline class="available" points="${line}"/>${budget}
${top}`;
}

function lane({ name, fate, createdMs, goneMs, available }: MachineOutcome, x: Scale, y: number): string {
  const from = x(Math.max(0, createdMs));
  const to = goneMs === undefined ? WIDTH - RIGHT : x(goneMs);
  const bars = available.map(
    ([fromMs, toMs]) =>
      `<rect class="up" x="${x(fromMs)}" y="${y + 3}" width="${round(Math.max(1, x(toMs) - x(fromMs)))}" height="8"/>`,
  );
  const short = name.length > MOST_NAME ? `…${name.slice(1 - MOST_NAME)}` : name;
  return `<g><title>${escaped(`${name}: ${fate}`)}</title><rect class="down ${fate === "new" ? "new" : ""}" x="${from}" y="${y + 3}" width="${round(Math.max(1, to - from))}" height="8"/>${bars.join("")}<text class="name" x="${LEFT - 6}" y="${y + 11}" text-anchor="end">${escaped(short)}</text></g>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
