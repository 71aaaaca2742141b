import { expect, test } from "vitest";
import { MINUTE_MS } from "../kit/fleet-world.ts";
import {
  controlPlaneWorld,
  endpointOf,
  loseMachine,
  machinesOf,
  membersOf,
  namesOf,
  onMachine,
  untilReady,
} from "../kit/control-plane-world.ts";

test("a virtual machine that is deleted in Azure is replaced, and its member leaves etcd", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const endpoint = await endpointOf(world);
  const lost = await loseMachine(world);
  await world.advance(15 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  await world.advance(2 * MINUTE_MS);
  const after = await namesOf(world);
  expect(after).toHaveLength(3);
  expect(after).not.toContain(lost);
  expect(membersOf(world, endpoint)).toEqual(after);
});

test("without a quorum nothing is created or deleted, and everything goes on when the machines return", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const endpoint = await endpointOf(world);
  const before = await namesOf(world);
  const [first = "", second = ""] = before;
  await onMachine(world, "POST", `${first}/powerOff`);
  await onMachine(world, "POST", `${second}/powerOff`);
  await world.advance(60 * MINUTE_MS);
  expect(world.etcd.at(endpoint).isServing()).toBe(false);
  expect(await namesOf(world)).toEqual(before);
  expect(membersOf(world, endpoint)).toEqual(before);
  await onMachine(world, "POST", `${first}/start`);
  await onMachine(world, "POST", `${second}/start`);
  await world.advance(30 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  expect(world.etcd.at(endpoint).isServing()).toBe(true);
});

test("a first machine that never joins is replaced by its health check", async () => {
  const world = await controlPlaneWorld({ replicas: 1 });
  const virtualMachine = async (): Promise<string | undefined> =>
    (await machinesOf(world)).find(({ spec }) => spec.providerID !== undefined)?.metadata.name;
  for (let seconds = 0; seconds < 600 && (await virtualMachine()) === undefined; seconds++)
    await world.advance(1_000);
  const [first = ""] = await namesOf(world);
  await onMachine(world, "POST", `${first}/powerOff`);
  await world.advance(5 * MINUTE_MS);
  expect(await namesOf(world)).toEqual([first]);
  expect(await untilReady(world, 1)).toBe(true);
  expect(await namesOf(world)).not.toContain(first);
});
