/** The forecast of a MachineDeployment or a control plane as phases of its machines. Pure. */
import type { LaneForecast, LanePhase } from "@capstan/page";
import type { Course } from "../../plan/print/course.ts";
import { BOOT, DRAIN } from "../../plan/times/expected-times.ts";
import { type ForecastLanes, inOrder, newLane } from "./forecast-lanes.ts";

/** What is expected of an owner's machines. */
export interface ExpectedOfOwner {
  readonly course: Course;
  /** The outdated machines that are not being deleted, the next one first. */
  readonly outdated: readonly string[];
  readonly nowMs: number;
}

// Later waves are a number, not a picture.
const MOST_LANES = 40;
const BOOT_MS = BOOT.p50 * 1000;
const DRAIN_MS = DRAIN.p50 * 1000;
const DELETION_MS = 30_000;

/** The dashed part of the lanes; undefined where no times are known. */
export function ownerForecast({ course, outdated, nowMs }: ExpectedOfOwner): ForecastLanes | undefined {
  const { time, pace, isInPlace, split, maxSurge, maxUnavailable } = course;
  const names = outdated.slice(0, MOST_LANES);
  if (isInPlace) return pace && updatesInPlace(names, pace.eachMs, nowMs);
  if (!time || split || names.length === 0) return undefined;
  const atOnce = Math.max(1, maxSurge + maxUnavailable);
  const waveMs = time.typicalMs / Math.max(1, Math.ceil(course.outdated / atOnce));
  const steps = replacementSteps(waveMs, maxSurge > 0);
  const places = names.map((name, index) => ({ name, fromMs: nowMs + Math.floor(index / atOnce) * waveMs }));
  return {
    byName: new Map(places.map(({ name, fromMs }) => [name, phasesOf(steps, OLD, fromMs)])),
    created: places.map(({ fromMs }, index) => newLane(phasesOf(steps, NEW, fromMs), index)),
  };
}

function updatesInPlace(names: readonly string[], eachMs: number, nowMs: number): ForecastLanes {
  const update = (index: number): readonly LaneForecast[] =>
    inOrder(nowMs + index * eachMs, [["update", eachMs]]);
  return { byName: new Map(names.map((name, index) => [name, update(index)])), created: [] };
}

type Step = readonly [phase: LanePhase, durationMs: number];

const OLD: ReadonlySet<LanePhase> = new Set(["drain", "delete"]);
const NEW: ReadonlySet<LanePhase> = new Set(["create", "boot"]);

/** What a wave does in order: with a surge the new machine comes first. Creation takes what the other steps leave. */
function replacementSteps(waveMs: number, hasSurge: boolean): readonly Step[] {
  const knownMs = BOOT_MS + DRAIN_MS + DELETION_MS;
  const share = Math.min(1, (0.8 * waveMs) / knownMs);
  const create: readonly Step[] = [
    ["create", waveMs - share * knownMs],
    ["boot", share * BOOT_MS],
  ];
  const end: readonly Step[] = [
    ["drain", share * DRAIN_MS],
    ["delete", share * DELETION_MS],
  ];
  return hasSurge ? [...create, ...end] : [...end, ...create];
}

function phasesOf(
  steps: readonly Step[],
  phases: ReadonlySet<LanePhase>,
  fromMs: number,
): readonly LaneForecast[] {
  return inOrder(fromMs, steps).filter(({ phase }) => phases.has(phase));
}
