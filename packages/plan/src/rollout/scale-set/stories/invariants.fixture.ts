/** Invariants that must hold for every action, computed from the truth independently of the planner. */
import type { PoolAction } from "../action.ts";
import {
  type SimMachine,
  type SimPool,
  type SimWorld,
  trulyAvailable,
  trulyLive,
} from "./pool-world.fixture.ts";

/** The limits of a strategy, computed independently of the planner. */
export function limitsOf({ spec }: SimPool): { readonly surge: number; readonly unavailable: number } {
  const share = (value: number | string, round: (x: number) => number): number =>
    typeof value === "number" ? value : round((Number.parseInt(value, 10) * spec.desired) / 100);
  const surge = share(spec.maxSurge, Math.ceil);
  const unavailable = share(spec.maxUnavailable, Math.floor);
  const atLeast = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { surge, unavailable: Math.min(atLeast, spec.desired) };
}

/** The invariants that the action violates. */
export function violationsOf(world: SimWorld, pool: SimPool, action: PoolAction): readonly string[] {
  const targets = action.targets.map((name) => world.machines.find((machine) => machine.name === name));
  if (action.action === "DeleteMachine" || action.action === "UpdateMachineInPlace")
    return [...ownership(pool, targets), ...availability(world, { pool, action, targets })];
  if (action.action === "PutModel" || action.action === "SetCapacity") return capacity(world, pool, action);
  if (action.action === "CreateMachineResource") return identity(world, action);
  const isOfMachines = action.action === "DeleteMachineResource" || action.action === "ClearSurge";
  return isOfMachines ? ownership(pool, targets) : [];
}

type Targets = readonly (SimMachine | undefined)[];

function ownership(pool: SimPool, targets: Targets): readonly string[] {
  return targets.flatMap((machine) =>
    machine?.pool === pool.name
      ? []
      : [`I13: ${pool.name} touches ${machine?.name ?? "a machine that does not exist"}`],
  );
}

function availability(
  world: SimWorld,
  {
    pool,
    action,
    targets,
  }: { readonly pool: SimPool; readonly action: PoolAction; readonly targets: Targets },
): readonly string[] {
  const cause = action.action === "DeleteMachine" ? action.detail.cause : "Outdated";
  const hit = targets.filter((machine) => machine !== undefined && trulyAvailable(machine)).length;
  if (cause === "Stuck") return hit > 0 ? ["I1: a machine that works is replaced as stuck"] : [];
  if (cause === "ScaleDown") {
    const staying = trulyLive(world, pool.name).filter((m) => !m.isDeleting).length;
    const left = staying - targets.length;
    return left < pool.spec.desired ? [`I1: scale-down leaves ${left} of ${pool.spec.desired}`] : [];
  }
  const working = world.machines.filter((m) => m.pool === pool.name && trulyAvailable(m)).length;
  const floor = pool.spec.desired - limitsOf(pool).unavailable;
  return hit > 0 && working - hit < floor
    ? [`I1: ${working} available, ${hit} taken, floor is ${floor}`]
    : [];
}

function capacity(world: SimWorld, pool: SimPool, action: PoolAction): readonly string[] {
  if (action.action !== "PutModel" && action.action !== "SetCapacity") return [];
  const live = trulyLive(world, pool.name).length;
  const { to } = action.detail;
  const problems: string[] = [];
  const ceiling = Math.max(pool.spec.desired + limitsOf(pool).surge, live);
  if (to > ceiling) problems.push(`I2: capacity ${to} is above ${ceiling}`);
  if (to < live) problems.push(`I16: capacity ${to} would make Azure choose among ${live}`);
  if (action.action === "SetCapacity" && to === live) problems.push("I16: a PUT that changes nothing");
  if (pool.operation) problems.push("I16: a second PUT while one runs");
  return problems;
}

function identity(world: SimWorld, action: PoolAction): readonly string[] {
  return action.targets.flatMap((name) =>
    world.machines.some((machine) => machine.name === name) ? [`I13: a second resource ${name}`] : [],
  );
}
