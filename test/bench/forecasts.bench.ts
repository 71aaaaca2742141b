/**
 * What `capstan plan` forecasts, beside rollouts of the examples in virtual time: the median, and whether nine of ten end in time.
 *
 * `npm run bench -- forecasts 10 pool` takes fewer seeds than 40, and only the cases with that word.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_FEATURES, type JsonObject, parseYaml } from "@capstan/api";
import { drawnTimes } from "@capstan/cli";
import { forecastPool, type PoolView } from "@capstan/plan";
import { TABLE_DURATIONS } from "@capstan/sim";
import { type Replacement, replacementTime } from "../../packages/cli/src/plan/times/replacement-time.ts";
import type { GivenObject } from "../../packages/cli/src/plan/read/read-objects.ts";
import { readFleet } from "../../packages/cli/src/rehearse/read/read-fleet.ts";
import { rehearseSeed } from "../../packages/cli/src/rehearse/rehearse-seed.ts";
import { machine, pool } from "../../packages/plan/src/rollout/scale-set/plan.fixture.ts";
import { numbersFrom } from "../sample.ts";
import { printTable } from "./table.ts";

const [, seeds = "40", only = ""] = process.argv.slice(2);
const SEEDS = numbersFrom(1, Number(seeds));
const EXAMPLES = join(import.meta.dirname, "..", "..", "examples");
const NEW_VERSION = "v1.34.1";
const LIMIT_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;
const DRAWS = 101;

interface Times {
  readonly p50: number;
  readonly p90: number;
}

interface Case {
  readonly name: string;
  readonly folder: string;
  /** The kind that is changed. */
  readonly kind: "MachinePool" | "MachineDeployment" | "KubeadmControlPlane";
  /** Fields of the fleet that differ from the example, by kind. */
  readonly fleet: Readonly<Record<string, JsonObject>>;
  readonly forecast: () => Times;
}

type PoolStrategy = Pick<PoolView, "maxSurge" | "maxUnavailable" | "instanceUpdate">;

function poolCase(replicas: number, strategy: PoolStrategy): Case {
  const { maxSurge, maxUnavailable, instanceUpdate } = strategy;
  const view = pool({
    ...strategy,
    desiredHash: "B",
    machines: numbersFrom(0, replicas).map((id) => machine(id)),
  });
  return {
    name: `pool of ${replicas}, ${instanceUpdate}, ${maxSurge} more, ${maxUnavailable} away`,
    folder: "machine-pool",
    kind: "MachinePool",
    fleet: {
      MachinePool: { replicas },
      AzureMachinePool: { strategy: { type: "RollingUpdate", rollingUpdate: { ...strategy } } },
    },
    forecast: () =>
      percentiles(
        numbersFrom(1, DRAWS).map(
          (seed) =>
            forecastPool(view, drawnTimes({ minReadySeconds: 0, hasNoPods: true }, String(seed))).totals
              .durationMs,
        ),
      ),
  };
}

function deploymentCase(replicas: number, maxSurge: number, maxUnavailable: number): Case {
  return {
    name: `MachineDeployment of ${replicas}, ${maxSurge} more, ${maxUnavailable} away`,
    folder: "machine-deployment",
    kind: "MachineDeployment",
    fleet: {
      MachineDeployment: {
        replicas,
        rollout: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } },
      },
    },
    forecast: () => replaced({ machines: replicas, atOnce: maxSurge + maxUnavailable }),
  };
}

function controlPlaneCase(replicas: number, maxSurge: number): Case {
  return {
    name: `control plane of ${replicas}, ${maxSurge} more`,
    folder: "ha-cluster",
    kind: "KubeadmControlPlane",
    fleet: {
      KubeadmControlPlane: {
        replicas,
        rollout: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge } } },
      },
    },
    forecast: () => replaced({ machines: replicas, atOnce: 1, isOneByOne: true }),
  };
}

function replaced(replacement: Omit<Replacement, "minReadySeconds">): Times {
  const { typicalMs, slowMs } = replacementTime({ ...replacement, minReadySeconds: 0 });
  return { p50: typicalMs, p90: slowMs };
}

const CASES: readonly Case[] = [
  poolCase(3, { maxSurge: 1, maxUnavailable: 0, instanceUpdate: "Replace" }),
  poolCase(20, { maxSurge: 1, maxUnavailable: 0, instanceUpdate: "Replace" }),
  poolCase(20, { maxSurge: 5, maxUnavailable: 0, instanceUpdate: "Replace" }),
  poolCase(20, { maxSurge: "25%", maxUnavailable: "25%", instanceUpdate: "Replace" }),
  poolCase(20, { maxSurge: 0, maxUnavailable: 1, instanceUpdate: "InPlace" }),
  poolCase(20, { maxSurge: 0, maxUnavailable: 5, instanceUpdate: "InPlace" }),
  deploymentCase(3, 1, 0),
  deploymentCase(10, 1, 0),
  deploymentCase(10, 3, 0),
  deploymentCase(10, 0, 2),
  controlPlaneCase(3, 1),
  controlPlaneCase(3, 0),
];

function percentiles(values: readonly number[]): Times {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { p50: at(0.5), p90: at(0.9) };
}

function objectsIn({ folder, fleet }: Case): readonly GivenObject[] {
  return readdirSync(join(EXAMPLES, folder))
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) => readFileSync(join(EXAMPLES, folder, name), "utf8").split(/^---$/m))
    .map((text) => parseYaml(text) as GivenObject & { spec?: JsonObject })
    .filter((object) => typeof object === "object" && object !== null)
    .map((object) => ({ ...object, spec: { ...object.spec, ...fleet[object.kind] } }))
    .map((object) => ({ ...object, metadata: { namespace: "default", ...object.metadata } }));
}

/** The changed object, whose version is another one. */
function changeOf(objects: readonly GivenObject[], kind: string): GivenObject {
  const found = objects.find((object) => object.kind === kind);
  if (!found) throw new Error(`the example has no ${kind}`);
  const text = JSON.stringify(found).replace(/"version":"v[\d.]+"/, `"version":"${NEW_VERSION}"`);
  return JSON.parse(text) as GivenObject;
}

/** How long the rollout takes with each seed. */
async function rolledOut(one: Case): Promise<readonly number[]> {
  const objects = objectsIn(one);
  const change = [changeOf(objects, one.kind)];
  const { fleet } = readFleet({ objects, change, workloads: [], namespace: "default" });
  const durations: number[] = [];
  for (const seed of SEEDS) {
    const { facts } = await rehearseSeed({
      fleet,
      change,
      seed: String(seed),
      faults: [],
      features: DEFAULT_FEATURES,
      durations: TABLE_DURATIONS,
      limitMs: LIMIT_MS,
    });
    const group = facts.groups.find(({ replaced: moved, inPlace }) => moved + inPlace > 0);
    if (!group) throw new Error(`${one.name}: seed ${seed} rolled nothing`);
    durations.push(group.durationMs);
  }
  return durations;
}

const minutes = (ms: number): string => (ms / MINUTE_MS).toFixed(1);

const rows: string[][] = [];
for (const one of CASES.filter(({ name }) => name.includes(only))) {
  const forecast = one.forecast();
  const real = await rolledOut(one);
  const { p50 } = percentiles(real);
  const inTime = real.filter((ms) => ms <= forecast.p90).length;
  const off = Math.round((forecast.p50 / p50 - 1) * 100);
  rows.push([
    one.name,
    minutes(forecast.p50),
    minutes(p50),
    `${off > 0 ? "+" : ""}${off} %`,
    minutes(forecast.p90),
    `${Math.round((inTime / real.length) * 100)} %`,
  ]);
  console.error(rows.at(-1)?.join(" | "));
}
printTable(
  ["change", "forecast, min", "real median, min", "off", "forecast p90, min", "ended within it"],
  rows,
);
