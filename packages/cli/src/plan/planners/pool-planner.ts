import { AzureMachinePool, MachinePool } from "@capstan/api";
import { CommandError } from "../../command-error.ts";
import { DUMP_COMMAND } from "../read/dump-command.ts";
import { forecastChange, type PoolForecast } from "./forecast-plan.ts";
import type { PlanObjects } from "../read/given-objects.ts";
import { refuseMissingMachines } from "../read/missing-machines.ts";
import { findObstacles } from "./obstacles.ts";
import type { Host, Planner, PlanReport, ProposedChange } from "./planner.ts";
import { objectOf, type PoolBlock } from "../print/pool-block.ts";
import { machinePoolOf, partsOf, whyNoMachinePool } from "./pool-parts.ts";
import { planFor, type PlannedPool } from "./pool-plan.ts";
import { refuseImpossibleSize } from "./pool-size.ts";
import {
  forecastJson,
  forecastSummary,
  isForecastDisruptive,
  printForecast,
} from "../print/print-forecast.ts";
import { hasDisruption, planJson, printPlan } from "../print/print-plan.ts";
import { proposedPools } from "./proposed-pools.ts";

/** Plans machine pools. */
export const poolPlanner: Planner = {
  kinds: [AzureMachinePool.kind, MachinePool.kind],
  isFor: ({ pools, machinePools, azureClusters }) =>
    pools.length + machinePools.length + azureClusters.length > 0,
  planDump,
  forecast: async (host, change) => {
    const pools = await forecastsOf(host, change);
    return {
      print: (form) => (pools.length === 0 ? "" : printForecast(pools, form)),
      json: forecastJson(pools),
      isDisruptive: isForecastDisruptive(pools),
      notes: [],
      summary: forecastSummary(pools),
      pools,
    };
  },
};

/** What applying manifests would do to each pool that they change. */
export async function forecastsOf(
  host: Host,
  { client, home, given, nowMs }: ProposedChange,
): Promise<readonly PoolForecast[]> {
  const proposed = await proposedPools(client, given);
  return Promise.all(
    proposed.map(async (pool) => {
      const { note, ...workload } = await findObstacles(host, { client, home }, pool.after);
      const forecast = forecastChange(pool, workload, nowMs);
      return { ...forecast, notes: [...forecast.notes, ...(note === undefined ? [] : [note])] };
    }),
  );
}

function planDump(given: PlanObjects, nowMs: number): PlanReport {
  if (given.pools.length === 0 && given.machinePools.length > 0) {
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
  return {
    print: (form) => printPlan({ pools, unplanned }, form),
    json: planJson({ pools, unplanned }),
    isDisruptive: hasDisruption(pools),
    notes: [...pools.flatMap((pool) => pool.notes), ...unplanned.map(({ why }) => why)],
  };
}

function unplannedPool(pool: PlanObjects["pools"][number]): PoolBlock {
  const why = `${whyNoMachinePool(pool)}, so the controllers ignore it`;
  return { ...objectOf(pool), reason: "NoMachinePool", targets: [pool.metadata.name], why };
}
