import {
  KubeadmConfig,
  MachineDeployment,
  olderConditionsOf,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { get, patch } from "../../kit/cluster-world.ts";
import {
  DEPLOYMENT,
  isAvailable,
  machinesIn,
  nodesIn,
  PATIENCE_MS,
  setsIn,
} from "../../kit/deployment-world.ts";
import { TestMachine } from "../../kit/test-provider.ts";
import { inPlaceWorld, noCalls, resize, testUpdater } from "../../kit/in-place-world.ts";

/** Names and UIDs of everything that an update in place keeps. */
async function identities(world: World): Promise<unknown> {
  const [machines, infrastructure, configs, nodes] = [
    await machinesIn(world),
    await world.run(world.user.list(TestMachine)),
    await world.run(world.user.list(KubeadmConfig)),
    await nodesIn(world),
  ];
  return [machines, infrastructure, configs, nodes].map((objects) =>
    objects.map(({ kind, metadata: { name, uid } }) => `${kind} ${name} ${uid}`).toSorted(),
  );
}

test("machines move to the new MachineSet one at a time, are updated, and keep names and UIDs", async () => {
  const calls = noCalls();
  const world = await inPlaceWorld([testUpdater("resizer", ["infraMachine.spec.size"], { calls })]);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
  const before = await identities(world);

  await resize(world, "large");
  await world.rest(PATIENCE_MS);

  expect(await identities(world)).toEqual(before);
  const infrastructure = await world.run(world.user.list(TestMachine));
  expect(infrastructure.map(({ spec }) => spec?.["size"])).toEqual(["large", "large", "large"]);
  const machines = await machinesIn(world);
  expect(machines.filter(isAvailable)).toHaveLength(3);
  expect(await setsIn(world)).toHaveLength(1);
  expect(await get(world, MachineDeployment, DEPLOYMENT)).toMatchObject({
    status: { phase: "Running", replicas: 3, upToDateReplicas: 3, availableReplicas: 3 },
  });
  const clones = [...infrastructure, ...(await world.run(world.user.list(KubeadmConfig)))];
  for (const { metadata } of clones)
    expect(Object.keys(metadata.annotations ?? {})).not.toContain(UPDATE_IN_PROGRESS_ANNOTATION);
  for (const { metadata, spec, status } of machines) {
    expect(spec.updaters).toBeUndefined();
    expect(Object.keys(metadata.annotations ?? {})).toEqual([]);
    expect(status?.update).toBeUndefined();
    expect(olderConditionsOf({ status })).toContainEqual(
      expect.objectContaining({ type: "UpToDate", status: "True" }),
    );
  }
  expect(calls.asked).toEqual([["infraMachine.spec.size"]]);
  expect(calls.updated).toEqual(
    machines.map(({ metadata }) => metadata.name).flatMap((name) => [name, name]),
  );
});

test("machines that move keep the labels of the template, which still follow it afterwards", async () => {
  const world = await inPlaceWorld([testUpdater("resizer", ["infraMachine.spec.size"])]);
  const label = async (labels: object): Promise<unknown[]> => {
    await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { metadata: { labels } } } });
    await world.rest(PATIENCE_MS);
    const clones = [
      ...(await world.run(world.user.list(TestMachine))),
      ...(await world.run(world.user.list(KubeadmConfig))),
    ];
    return [...new Set(clones.map(({ metadata }) => metadata.labels?.["team"]))];
  };
  expect(await label({ team: "a" })).toEqual(["a"]);
  await resize(world, "large");
  await world.rest(PATIENCE_MS);
  expect((await world.run(world.user.list(TestMachine))).map(({ spec }) => spec?.["size"])).toContain(
    "large",
  );
  expect(await label({ other: "x" })).toEqual(["a"]);
  expect(await label({ team: "b" })).toEqual(["b"]);
  expect(await label({ team: null })).toEqual([undefined]);
});
