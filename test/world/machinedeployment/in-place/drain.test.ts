/** Updaters that ask for a drain: the Node is empty before their first call, and takes pods again after the end. */
import { type Frozen, type Machine, MachineDeployment, Pod } from "@capstan/api";
import { PodDisruptionBudget } from "@capstan/apiserver";
import { createWorld, type World } from "@capstan/sim";
import { defineUpdater, done, failed, inProgress, type Updater, type UpdateResult } from "@capstan/updater";
import { expect, test } from "vitest";
import { Deployment } from "../../../../packages/sim/src/workloads/workload-kinds.ts";
import { create, MINUTE_MS, NAMESPACE } from "../../kit/cluster-world.ts";
import {
  CLUSTER,
  deployment,
  isAvailable,
  machinesIn,
  nodesIn,
  PATIENCE_MS,
  prepare,
} from "../../kit/deployment-world.ts";
import {
  controllersWith,
  FEATURES,
  noCalls,
  register,
  resize,
  serversOf,
  type UpdaterCalls,
} from "../../kit/in-place-world.ts";

type Dialect = "proposal" | "Cluster API";

/** An updater whose first call begins an update, and whose second one ends it. */
function draining(calls: UpdaterCalls, dialect: Dialect, end: () => UpdateResult): Updater {
  const { handle, ...updater } = defineUpdater({
    name: "resizer",
    canUpdate: ({ changes }) => ({ acceptedChanges: changes, needsDrain: dialect === "proposal" }),
    update: ({ machine: { name } }) => {
      calls.updated.push(name);
      return calls.updated.filter((one) => one === name).length > 1 ? end() : inProgress(20);
    },
  });
  const caller = dialect === "proposal" ? {} : { "user-agent": "Go-http-client/2.0" };
  return {
    ...updater,
    handle: (request) => handle({ ...request, headers: { ...request.headers, ...caller } }),
  };
}

/** A world with three machines, and four pods of an application on them. */
async function worldWith(
  dialect: Dialect,
  { budget, end = done }: { readonly budget?: object; readonly end?: () => UpdateResult } = {},
): Promise<{ readonly world: World; readonly calls: UpdaterCalls }> {
  const calls = noCalls();
  const updater = draining(calls, dialect, end);
  const servers = serversOf([updater]);
  const world = await createWorld({ seed: "1", controllers: controllersWith(), features: FEATURES, servers });
  world.start();
  await prepare(world);
  await register(world, updater.name, dialect === "Cluster API" ? { settings: { needsDrain: "true" } } : {});
  const rollout = { strategy: { type: "InPlace" as const } };
  await create(world, MachineDeployment, deployment({ spec: { rollout } }));
  await world.rest(PATIENCE_MS);
  const workload = world.workload(CLUSTER);
  if (!workload) throw new Error("the workload cluster does not answer");
  const metadata = { name: "web", namespace: NAMESPACE };
  const matchLabels = { app: "web" };
  const template = {
    metadata: { labels: matchLabels },
    spec: { containers: [{ name: "main", image: "web:1" }] },
  };
  const spec = { replicas: 4, selector: { matchLabels }, template };
  await world.run(workload.create(Deployment, { metadata, spec }));
  if (budget) {
    const limits = { ...budget, selector: { matchLabels } };
    await world.run(workload.create(PodDisruptionBudget, { metadata, spec: limits }));
  }
  await world.advance(5 * MINUTE_MS);
  return { world, calls };
}

async function podsOn(world: World, { status }: Frozen<Machine>): Promise<number> {
  const workload = world.workload(CLUSTER);
  const pods = workload ? await world.run(workload.list(Pod, { namespace: NAMESPACE })) : [];
  return pods.filter(({ spec }) => spec?.nodeName === status?.nodeRef?.name).length;
}

const cordoned = async (world: World): Promise<readonly string[]> =>
  (await nodesIn(world))
    .filter(({ spec }) => spec?.unschedulable === true)
    .map(({ metadata }) => metadata.name);

test.each<Dialect>(["proposal", "Cluster API"])(
  "in the dialect of the %s, a Node is drained before the first call, and takes pods again after the update",
  async (dialect) => {
    const { world, calls } = await worldWith(dialect);
    await resize(world, "large");
    const drained = new Set<string>();
    for (let seconds = 0; seconds < 300; seconds += 5) {
      await world.advance(5_000);
      for (const machine of await machinesIn(world)) {
        if (!machine.status?.update) continue;
        expect(await podsOn(world, machine)).toBe(0);
        expect(await cordoned(world)).toEqual([machine.metadata.name]);
        drained.add(machine.metadata.name);
      }
    }
    expect([...drained].toSorted()).toEqual([...new Set(calls.updated)].toSorted());
    expect(drained.size).toBe(3);
    expect(await cordoned(world)).toEqual([]);
    const machines = await machinesIn(world);
    expect(machines.filter(isAvailable)).toHaveLength(3);
    expect(machines.map(({ status }) => status?.deletion)).toEqual([undefined, undefined, undefined]);
  },
);

test("a disruption budget holds the drain up, the machine says so, and no updater is called", async () => {
  const { world, calls } = await worldWith("proposal", { budget: { maxUnavailable: 0 } });
  await resize(world, "large");
  await world.advance(10 * MINUTE_MS);
  expect(calls.updated).toEqual([]);
  const [updating] = (await machinesIn(world)).filter(({ spec }) => spec.updaters !== undefined);
  const { message = "" } = updating?.status?.conditions?.find(({ type }) => type === "Updating") ?? {};
  expect(message).toMatch(/^Draining the Node before resizer runs: .*web/);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(2);
});

test("a failed update uncordons its Node", async () => {
  const { world, calls } = await worldWith("proposal", { end: () => failed("no memory left") });
  await resize(world, "large");
  await world.advance(10 * MINUTE_MS);
  expect(new Set(calls.updated).size).toBe(1);
  expect(await cordoned(world)).toEqual([]);
});
