import { CommandError } from "../command-error.ts";
import type { Client } from "@capstan/runtime";
import { withUserClient } from "../cluster/user-access.ts";
import { namespaceFor, type UserAccess } from "../cluster/user-kubeconfig.ts";
import { EXIT } from "../exit-codes.ts";
import { checkedDump } from "../plan/checked-dump.ts";
import { DUMP_COMMAND } from "../plan/dump-command.ts";
import { type GivenObjects, type PlanObjects, sortObjects } from "../plan/given-objects.ts";
import { isDump } from "../plan/is-dump.ts";
import { findObstacles } from "../plan/obstacles.ts";
import { forecastChange, type PoolForecast } from "../plan/forecast-plan.ts";
import { objectOf, type PoolBlock } from "../plan/pool-block.ts";
import { isForecastDisruptive, printForecast } from "../plan/print-forecast.ts";
import { refuseMissingMachines } from "../plan/missing-machines.ts";
import { refuseImpossibleSize } from "../plan/pool-size.ts";
import { proposedPools } from "../plan/proposed-pools.ts";
import { newestTimeIn, timeOf } from "../plan/newest-time.ts";
import { planFor, type PlannedPool } from "../plan/pool-plan.ts";
import { machinePoolOf, partsOf, whyNoMachinePool } from "../plan/pool-parts.ts";
import type { PlanForm } from "../plan/plan-form.ts";
import { hasDisruption, printPlan } from "../plan/print-plan.ts";
import { type GivenObject, readObjects } from "../plan/read-objects.ts";
import type { Shell } from "../shell.ts";

/** What to plan, and how to print it. */
export interface PlanOptions {
  readonly access: UserAccess;
  readonly files: readonly string[];
  readonly output: PlanForm;
  /** The time of a dump. Default: the newest timestamp in it. */
  readonly now?: string;
}

/** `capstan plan`: what the controllers would do next, or what a change would do. */
export async function plan(shell: Shell, options: PlanOptions): Promise<number> {
  const objects = readObjects(shell, options.files);
  const given = sortObjects(objects, namespaceFor(shell, options.access));
  for (const [kind, count] of given.ignored) {
    shell.err.write(
      `note: ${count} ${kind} ignored: ${count === 1 ? "it does" : "they do"} not affect a plan\n`,
    );
  }
  if (given.pools.length === 0 && given.machinePools.length === 0) {
    throw new CommandError(
      "there is no AzureMachinePool and no MachinePool in what was given, so there is nothing to plan",
    );
  }
  if (isDump(given))
    return planOfDump(shell, checkedDump(given), { ...options, nowMs: timeOfDump(objects, options.now) });
  if (options.now !== undefined) {
    throw new CommandError(
      "--now is the time of a dump; what was given are manifests, which are planned for now",
    );
  }
  const pools = await withUserClient(shell, options.access, (client, { now }) =>
    forecastsOf(shell, { client, given, nowMs: now() }),
  );
  shell.out.write(printForecast(pools, options.output));
  return isForecastDisruptive(pools) ? EXIT.disruptive : EXIT.done;
}

/** What applying manifests would do to each pool that they change. */
export async function forecastsOf(
  shell: Shell,
  { client, given, nowMs }: { readonly client: Client; readonly given: GivenObjects; readonly nowMs: number },
): Promise<readonly PoolForecast[]> {
  const proposed = await proposedPools(client, given);
  return Promise.all(
    proposed.map(async (pool) => {
      const { obstacles, note } = await findObstacles(shell, client, pool.after);
      const forecast = forecastChange(pool, obstacles, nowMs);
      return { ...forecast, notes: [...forecast.notes, ...(note === undefined ? [] : [note])] };
    }),
  );
}

function planOfDump(
  shell: Shell,
  given: PlanObjects,
  { output, nowMs }: { readonly output: PlanForm; readonly nowMs: number },
): number {
  if (given.pools.length === 0) {
    throw new CommandError(
      "there is no AzureMachinePool in the dump; add it with kubectl get azuremachinepools",
    );
  }
  const whole = given.pools.filter((pool) => machinePoolOf(pool, given.machinePools));
  // If no pool can be planned, the error about the first one says what to add.
  const planned = whole.length > 0 ? whole : given.pools;
  const pools: readonly PlannedPool[] = planned.map((pool) => {
    const parts = partsOf(pool, given, `add it, for example with ${DUMP_COMMAND}`);
    refuseImpossibleSize(parts.machinePool);
    refuseMissingMachines(parts);
    return planFor(parts, nowMs);
  });
  const unplanned = given.pools.filter((pool) => !planned.includes(pool)).map(unplannedPool);
  const notes = [...pools.flatMap((pool) => pool.notes), ...unplanned.map(({ why }) => why)];
  for (const note of notes) shell.err.write(`note: ${note}\n`);
  shell.out.write(printPlan({ pools, unplanned }, output));
  return hasDisruption(pools) ? EXIT.disruptive : EXIT.done;
}

function unplannedPool(pool: PlanObjects["pools"][number]): PoolBlock {
  const why = `${whyNoMachinePool(pool)}, so the controllers ignore it`;
  return { ...objectOf(pool), reason: "NoMachinePool", targets: [pool.metadata.name], why };
}

function timeOfDump(objects: readonly GivenObject[], given: string | undefined): number {
  if (given !== undefined) {
    const nowMs = timeOf(given);
    if (nowMs !== undefined) return nowMs;
    throw new CommandError(`--now ${JSON.stringify(given)} is not a time; write it as 2026-01-31T12:00:00Z`);
  }
  const newestMs = newestTimeIn(objects);
  if (newestMs !== undefined) return newestMs;
  throw new CommandError("there is no timestamp in the dump, so its time is unknown; give it with --now");
}
