/**
 * A MachineDeployment updated in place and by replacement, in virtual time, beside the bound that maxUnavailable gives.
 *
 * `npm run bench -- in-place 100` takes fewer machines than 1,000.
 */
import { MachineDeployment } from "@capstan/api";
import { createWorld, type World } from "@capstan/sim";
import { defineUpdater, done, inProgress, type Updater } from "@capstan/updater";
import { create, get, MINUTE_MS } from "../world/kit/cluster-world.ts";
import { controllersWith, FEATURES, register, resize, serversOf } from "../world/kit/in-place-world.ts";
import { DEPLOYMENT, deployment, prepare } from "../world/kit/deployment-world.ts";
import { printTable } from "./table.ts";

const [, machines = "1000"] = process.argv.slice(2);
const MACHINES = Number(machines);
const MAX_UNAVAILABLE = Math.ceil(MACHINES / 10);
const UPDATER_SECONDS = 60;
// As long as most virtual machines of Azure take to become Nodes.
const LATENCIES = { vmMs: 120_000, nodeMs: 60_000, deletionMs: 30_000 };
const LIMIT_MS = 24 * 60 * MINUTE_MS;

interface Result {
  readonly minutes: number;
  readonly writes: number;
  readonly hookCalls: number;
}

/** An updater that takes a minute for each machine. */
function minuteUpdater(calls: { count: number }): Updater {
  const started = new Set<string>();
  return defineUpdater({
    name: "resizer",
    canUpdate: ({ changes }) => changes,
    update: ({ machine: { name } }) => {
      calls.count++;
      if (started.has(name)) return done();
      started.add(name);
      return inProgress(UPDATER_SECONDS);
    },
  });
}

async function rollOut(type: "InPlace" | "RollingUpdate"): Promise<Result> {
  const calls = { count: 0 };
  const updater = minuteUpdater(calls);
  const world = await createWorld({
    seed: "1",
    controllers: controllersWith(undefined, LATENCIES),
    features: FEATURES,
    servers: serversOf([updater]),
  });
  world.start();
  await prepare(world);
  await register(world, updater.name);
  const strategy = { type, rollingUpdate: { maxSurge: 0, maxUnavailable: MAX_UNAVAILABLE } };
  // Bootstrap data by name: the figures are those of machines, not of bootstrap configs.
  const bootstrap = { configRef: undefined, dataSecretName: "data" };
  const template = { spec: { bootstrap } };
  await create(
    world,
    MachineDeployment,
    deployment({ spec: { replicas: MACHINES, rollout: { strategy }, template } }),
  );
  await completed(world);
  const [startMs, startWrites] = [world.scheduler.monotonicMs, world.testedWrites];
  await resize(world, "large");
  await world.advance(1_000);
  await completed(world);
  return {
    minutes: (world.scheduler.monotonicMs - startMs) / MINUTE_MS,
    writes: (world.testedWrites - startWrites - calls.count) / MACHINES,
    hookCalls: calls.count / MACHINES,
  };
}

async function completed(world: World): Promise<void> {
  for (let waitedMs = 0; waitedMs < LIMIT_MS; waitedMs += 5_000) {
    await world.advance(5_000);
    const { status } = await get(world, MachineDeployment, DEPLOYMENT);
    const rollout = status?.conditions?.find(({ type }) => type === "RolloutComplete");
    if (rollout?.status === "True") return;
  }
  throw new Error("the rollout did not end");
}

const [inPlace, replaced] = [await rollOut("InPlace"), await rollOut("RollingUpdate")];
const bound = (Math.ceil(MACHINES / MAX_UNAVAILABLE) * UPDATER_SECONDS) / 60;
const row = (name: string, { minutes, writes, hookCalls }: Result): readonly string[] => [
  name,
  minutes.toFixed(1),
  writes.toFixed(1),
  hookCalls.toFixed(1),
];
printTable(
  [
    `${MACHINES} machines, maxUnavailable ${MAX_UNAVAILABLE}`,
    "minutes",
    "writes a machine",
    "updater calls a machine",
  ],
  [
    row("in place, the updater takes 60 s", inPlace),
    row("by replacement, a new machine takes 180 s", replaced),
    ["bound of maxUnavailable for the updates in place", bound.toFixed(1), "", ""],
    ["in place, relative to replacement", (inPlace.minutes / replaced.minutes).toFixed(2), "", ""],
  ],
);
