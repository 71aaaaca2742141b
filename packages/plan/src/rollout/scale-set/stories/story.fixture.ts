/** Runs a story to its end in one order of events and logs it. */
import type { PoolAction } from "../action.ts";
import { limitsOf, violationsOf } from "./invariants.fixture.ts";
import { planPool, type PoolPlan } from "../plan.ts";
import {
  type Move,
  type SimPool,
  type SimWorld,
  performActions,
  emptyWorld,
  movesOf,
  noteAvailability,
  trulyAvailable,
  trulyLive,
  viewOf,
} from "./pool-world.fixture.ts";
import { type StoryStep, readStory } from "./story-steps.fixture.ts";

/** What runs first when both can: the world, the planner, or a random choice by seed. */
export type Order = "world first" | "plan first" | number;

/** The log, the violations and the end of a story. */
export interface StoryResult {
  readonly log: readonly string[];
  readonly violations: readonly string[];
  /** The final state, without details that depend on the order of events. */
  readonly end: readonly string[];
}

const MOVE_MS = 30_000;
/** Longer than the minimum time between lists; twice this is longer than the time after which a machine is stuck. */
const QUIET_MS = 6 * 60_000;
const QUIET_TIMES = 4;
const MOVES_AT_MOST = 3000;

interface Run {
  readonly world: SimWorld;
  readonly order: Order;
  readonly random: () => number;
  readonly log: string[];
  readonly violations: string[];
  readonly lastBlocked: Map<string, string>;
  /** Pools whose last plan had no action, with no event since. */
  readonly idle: Set<SimPool>;
}

export function runStory(line: string, order: Order): StoryResult {
  const run: Run = {
    world: emptyWorld(),
    order,
    random: randomFrom(typeof order === "number" ? order : 0),
    log: [],
    violations: [],
    lastBlocked: new Map(),
    idle: new Set(),
  };
  for (const step of readStory(line)) takeStep(run, step);
  untilQuiet(run);
  return {
    log: run.log,
    violations: run.violations,
    end: run.world.pools.map((pool) => endOf(run.world, pool)),
  };
}

function takeStep(run: Run, step: StoryStep): void {
  if (step.after === undefined && run.world.pools.length > 0) untilQuiet(run);
  for (let moved = 0; moved < (step.after ?? 0); moved++) if (move(run) === "nothing") break;
  run.log.push("", `> ${step.text}`);
  step.happen(run.world);
  changed(run);
}

function untilQuiet(run: Run): void {
  let moves = 0;
  for (let quiet = 0; quiet < QUIET_TIMES; quiet++) {
    for (let next = move(run); next !== "nothing"; next = move(run)) {
      if (next === "changed") quiet = 0;
      if (++moves > MOVES_AT_MOST) {
        run.violations.push("I16: does not settle");
        return;
      }
    }
    run.world.nowMs += QUIET_MS;
    run.idle.clear();
  }
}

function changed(run: Run): void {
  run.idle.clear();
  noteAvailability(run.world);
}

/** Lets one event happen, if one is possible. */
function move(run: Run): "changed" | "planned nothing" | "nothing" {
  const moves = movesOf(run.world);
  const plans = run.world.pools.filter((pool) => !run.idle.has(pool));
  const next = choose(run, moves, plans);
  if (next === undefined) return "nothing";
  run.world.nowMs += MOVE_MS;
  if ("about" in next) {
    next.happen();
    say(run, next.about);
    changed(run);
    return "changed";
  }
  if (!pass(run, next)) {
    run.idle.add(next);
    return "planned nothing";
  }
  changed(run);
  return "changed";
}

function choose(run: Run, moves: readonly Move[], plans: readonly SimPool[]): Move | SimPool | undefined {
  if (run.order === "world first") return moves[0] ?? plans[0];
  if (run.order === "plan first") return plans[0] ?? moves[0];
  const all = [...moves, ...plans];
  return all[Math.floor(run.random() * all.length)];
}

/** One pass of the pool controller; true when it did something. */
function pass(run: Run, pool: SimPool): boolean {
  const view = viewOf(run.world, pool);
  const plan = planPool(view);
  if (JSON.stringify(planPool(view)) !== JSON.stringify(plan)) run.violations.push("I14: two plans differ");
  recordBlocked(run, pool, plan);
  const doing = plan.actions.filter(({ action }) => action !== "Wait");
  for (const action of doing) {
    for (const problem of violationsOf(run.world, pool, action))
      run.violations.push(`${problem} (${action.why})`);
    // The process crashes only in seeded orders: between a pick and the deletion, or between two actions.
    const dies = typeof run.order === "number" && run.random() < 0.2;
    performActions(run.world, { pool, action, dies });
    noteAvailability(run.world);
    say(run, `${describe(pool, action)} | ${action.why}`);
    if (dies) return true;
  }
  return doing.length > 0;
}

function recordBlocked(run: Run, pool: SimPool, plan: PoolPlan): void {
  const text = plan.blocked.map(({ reason, why }) => `${pool.name}: blocked, ${reason} | ${why}`).join("\n");
  if (run.lastBlocked.get(pool.name) !== text) {
    run.lastBlocked.set(pool.name, text);
    for (const line of text.split("\n").filter(Boolean)) say(run, line);
  }
}

function describe(pool: SimPool, action: PoolAction): string {
  const { targets, detail } = action;
  const subject =
    action.action === "PutModel"
      ? `${action.detail.hash}, capacity ${action.detail.from} -> ${action.detail.to}`
      : "to" in detail
        ? `${detail.from} -> ${detail.to}`
        : targets.join(" ");
  const cause = action.action === "DeleteMachine" ? ` (${action.detail.cause})` : "";
  return `${pool.name}: ${action.action} ${subject}${cause}`;
}

function say(run: Run, text: string): void {
  const minutes = String(Math.floor(run.world.nowMs / 60_000)).padStart(3);
  const seconds = String((run.world.nowMs / 1000) % 60).padStart(2, "0");
  const counts = run.world.pools.map((pool) => {
    const live = trulyLive(run.world, pool.name);
    return `${live.filter(trulyAvailable).length}/${live.length}`;
  });
  run.log.push(`${minutes}:${seconds}  ${counts.join(" ").padEnd(5)} ${text}`);
}

function endOf(world: SimWorld, pool: SimPool): string {
  const live = trulyLive(world, pool.name);
  const hashes = live.map(({ hash }) => hash).sort();
  const models = [...new Set(hashes)].map((hash) => `${hash} x ${hashes.filter((h) => h === hash).length}`);
  const { surge, unavailable } = limitsOf(pool);
  const resources = world.machines.filter((m) => m.pool === pool.name && m.name !== undefined).length;
  return (
    `${pool.name}: desired ${pool.spec.desired} (+${surge} -${unavailable}), ${live.filter(trulyAvailable).length} available of ${live.length}, ` +
    `models ${models.join(", ") || "none"}, capacity ${pool.capacity}, resources ${resources}`
  );
}

/** Numbers from 0 to 1 that depend only on the seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
