import type { Lane, LanePhase } from "../../protocol.ts";
import { Said, ToneMark } from "../parts.tsx";
import { Rows } from "../rows.tsx";
import { durationText } from "../time.ts";
import type { TimeAxis } from "./time-axis.ts";

/** The words of the phases. */
export const PHASES: Readonly<Record<LanePhase, string>> = {
  create: "creating",
  boot: "booting",
  join: "joining",
  ready: "Ready",
  unready: "not Ready",
  cordon: "cordoned",
  drain: "draining",
  delete: "deleting",
  update: "updating in place",
  image: "image is taken",
};

const LANE_HEIGHT = 30;
const HEADS = ["Machine", "Now", "Over time"];

/** A lane for each machine. */
export function Lanes({ lanes, axis }: { readonly lanes: readonly Lane[]; readonly axis: TimeAxis }) {
  return (
    <Rows
      label="Machines over time"
      class="lanes"
      heads={HEADS}
      rows={lanes}
      height={LANE_HEIGHT}
      draw={(lane) => <LaneCells lane={lane} axis={axis} />}
    />
  );
}

function LaneCells({ lane, axis }: { readonly lane: Lane; readonly axis: TimeAxis }) {
  const said = saidOf(lane, axis.nowMs);
  return (
    <>
      <span role="cell" class="name" title={lane.name}>
        <ToneMark tone={lane.tone} />
        <Said>{lane.name}</Said>
      </span>
      <span role="cell" class="faint" title={lane.message}>
        {said}
      </span>
      <span role="cell" class="track">
        <Track lane={lane} axis={axis} />
      </span>
    </>
  );
}

/** What a machine does now, and for how long. */
function saidOf({ segments, forecast, goneMs, group }: Lane, nowMs: number): string {
  if (goneMs !== undefined) return "gone";
  const last = segments.at(-1);
  const [next] = forecast;
  const soon = next ? `${PHASES[next.phase]} in ${durationText(next.fromMs - nowMs)}` : "";
  if (!last) return soon;
  const now = `${PHASES[last.phase]} ${durationText(nowMs - last.fromMs)}`;
  return group === "outdated" && last.phase === "ready" ? `outdated, ${PHASES.ready}` : now;
}

const WIDTH = 1000;
const HEIGHT = 16;

/** The bars of a lane. A screen reader reads the words beside it. */
function Track({ lane, axis }: { readonly lane: Lane; readonly axis: TimeAxis }) {
  const x = (ms: number): number => Math.round(axis.at(ms) * WIDTH * 10) / 10;
  const bar = (fromMs: number, toMs: number) => ({ x: x(fromMs), width: Math.max(1.5, x(toMs) - x(fromMs)) });
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {lane.segments
        .filter(({ toMs = axis.nowMs }) => toMs >= axis.fromMs)
        .map(({ phase, fromMs, toMs = axis.nowMs, message }) => (
          <rect
            key={fromMs}
            class={`phase ${phase}${lane.group === "outdated" ? " old" : ""}`}
            y={3}
            height={10}
            {...bar(fromMs, Math.max(fromMs, toMs))}
          >
            <title>
              {[`${PHASES[phase]} ${durationText(toMs - fromMs)}`, message].filter(Boolean).join(": ")}
            </title>
          </rect>
        ))}
      {lane.forecast.map(({ phase, fromMs, toMs }) => (
        <rect
          key={`next ${fromMs}`}
          class="future"
          y={4}
          height={8}
          {...bar(Math.max(fromMs, axis.nowMs), toMs)}
        >
          <title>{`expected: ${PHASES[phase]} ${durationText(toMs - fromMs)}`}</title>
        </rect>
      ))}
      <line class="now" x1={x(axis.nowMs)} x2={x(axis.nowMs)} y1={0} y2={HEIGHT} />
    </svg>
  );
}
