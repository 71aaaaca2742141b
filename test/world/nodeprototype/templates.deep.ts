/** Several templates of a Cluster, and a template whose image is bad. */
import {
  AzureMachineTemplate,
  getCondition,
  olderConditionsOf,
  PROTOTYPE_IMAGE_ANNOTATION,
  PROTOTYPE_NOW_ANNOTATION,
} from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { get, MINUTE_MS, patch, remove } from "../kit/fleet-world.ts";
import { nodesOf } from "../kit/pool-world.ts";
import { BASE_IMAGE, HOUR_MS, leftovers, resourcesOf } from "../kit/prototype-world.ts";
import {
  clonesIn,
  createWorkers,
  diskOfMachine,
  scaleWorkers,
  templateStored,
  templateWorld,
  untilTemplateRenewed,
  WORKERS,
} from "./template-world.ts";

const OTHERS = "others";

async function ask(world: World, value: string): Promise<void> {
  const annotations = { [PROTOTYPE_NOW_ANNOTATION]: value };
  await patch(world, AzureMachineTemplate, WORKERS, { metadata: { annotations } });
}

/** The image definition that a template names. */
function imageOf(world: World, name: string): string {
  return templateStored(world, name)?.metadata.annotations?.[PROTOTYPE_IMAGE_ANNOTATION] ?? "";
}

test("two templates that share a gallery have a definition each, and one is deleted without the other", async () => {
  const world = await templateWorld();
  const caching = { annotations: { nodeCachingInterval: "24h" } };
  await createWorkers(world, caching);
  await createWorkers(world, caching, { name: OTHERS });
  const isRenewed = (name: string): boolean =>
    templateStored(world, name)?.status?.lastImagePrototype !== undefined && imageOf(world, name) !== "";
  expect(await world.until(() => isRenewed(WORKERS) && isRenewed(OTHERS), 12 * HOUR_MS)).toBe(true);
  const [one, other] = [imageOf(world, WORKERS), imageOf(world, OTHERS)];
  expect(one).not.toBe(other);
  expect(one.split("/images/")[0]).toBe(other.split("/images/")[0]);
  expect(resourcesOf(world, "galleries")).toHaveLength(1);
  await remove(world, AzureMachineTemplate, WORKERS);
  expect(await world.until(() => templateStored(world) === undefined, HOUR_MS)).toBe(true);
  expect(resourcesOf(world, "galleries/images").map((id) => id.toLowerCase())).toEqual([other.toLowerCase()]);
  await scaleWorkers(world, 3, OTHERS);
  expect((await clonesIn(world)).at(-1)?.spec.image).toEqual({ id: other });
  expect(leftovers(world)).toEqual([]);
});

test("machines of a template whose image is broken do not join, and the next ones boot from the image in the spec", async () => {
  const world = await templateWorld();
  await createWorkers(world, { annotations: { nodeCachingInterval: "8000h" } });
  const [donor = ""] = (await clonesIn(world)).map(({ metadata }) => metadata.name);
  diskOfMachine(world, donor).remove("/usr/bin/kubeadm");
  await ask(world, "1");
  await untilTemplateRenewed(world);
  await scaleWorkers(world, 5).catch(() => undefined);
  const record = () => templateStored(world)?.status?.nodePrototyping;
  expect(record()?.rolledBack).toBeDefined();
  await world.advance(30 * MINUTE_MS);
  expect(record()?.history).toMatchObject([{ state: "Bad", donor }]);
  const { status, metadata, spec } = await get(world, AzureMachineTemplate, WORKERS);
  expect(getCondition(olderConditionsOf({ status }), "PrototypeNodesJoin")).toMatchObject({
    status: "False",
    reason: "RolledBackByItself",
  });
  expect(metadata.annotations).not.toHaveProperty(PROTOTYPE_IMAGE_ANNOTATION);
  expect(spec.template.spec.image).toEqual(BASE_IMAGE);
  const nodes = await nodesOf(world);
  expect(nodes.filter((node) => node.spec?.unschedulable === true)).toEqual([]);
});
