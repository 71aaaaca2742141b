import { expect, test } from "vitest";
import { nodesOf, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  HOUR_MS,
  prototypeWorld,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";
import { expectNothingLeft } from "./copy-world.ts";

test("the Node of a canary takes no pods, no load balancer and no autoscaler, and goes with its machine", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world);
  await settled(world);
  const canary = async () =>
    (await nodesOf(world)).find(({ metadata }) => metadata.name.includes("-canary-"));
  const nodeName = () => stored(world)?.status?.nodePrototyping?.canary?.nodeName;
  expect(await world.until(() => nodeName() !== undefined, 12 * HOUR_MS)).toBe(true);
  const node = await canary();
  const cycle = stored(world)?.status?.nodePrototyping?.cycleID;
  expect(node?.metadata.name).toBe(nodeName());
  expect(node?.spec?.taints).toContainEqual({
    key: "capstan.dev/prototype-canary",
    value: cycle,
    effect: "NoSchedule",
  });
  expect(node?.metadata.labels).toMatchObject({
    "node.kubernetes.io/exclude-from-external-load-balancers": "true",
    "capstan.dev/prototype-canary": cycle,
  });
  expect(node?.metadata.annotations).toMatchObject({
    "cluster-autoscaler.kubernetes.io/scale-down-disabled": "true",
  });
  await untilRenewed(world);
  await settled(world);
  await expectNothingLeft(world);
});
