/** What roll-backs and pins leave alone. */
import {
  AzureMachinePool,
  getCondition,
  PROTOTYPE_PIN_ANNOTATION,
  PROTOTYPE_ROLLBACK_ANNOTATION,
} from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import { armCalls } from "../kit/pool-world.ts";
import { HOUR_MS, POOL, poolNow, scaleTo } from "../kit/prototype-world.ts";
import { brokenWorld, recordIn } from "./broken-image-world.ts";

test("after the roll-back nothing is written until something changes", async () => {
  const world = await brokenWorld();
  await scaleTo(world, 6);
  expect(await world.until(() => recordIn(world)?.rolledBack !== undefined, HOUR_MS)).toBe(true);
  await world.advance(30 * MINUTE_MS);
  const { resourceVersion } = (await poolNow(world)).metadata;
  const before = armCalls(world).length;
  await world.advance(2 * HOUR_MS);
  expect((await poolNow(world)).metadata.resourceVersion).toBe(resourceVersion);
  expect(
    armCalls(world)
      .slice(before)
      .filter((call) => !call.startsWith("GET ")),
  ).toEqual([]);
});

test("with a window of zero, or after two failures of two, the image stays", async () => {
  const world = await brokenWorld({ rollbackWindow: "0s" });
  await scaleTo(world, 6);
  await world.advance(HOUR_MS);
  expect(recordIn(world)?.history?.[0]?.state).toBe("Active");
  expect(recordIn(world)).not.toHaveProperty("joins");
  const other = await brokenWorld();
  await scaleTo(other, 5);
  await other.advance(HOUR_MS);
  expect(recordIn(other)).toMatchObject({
    joins: { failed: ["mp-3", "mp-4"], joined: [], failedBefore: [] },
  });
  expect(recordIn(other)?.history?.[0]?.state).toBe("Active");
});

async function annotate(world: World, annotation: string, value: string | null): Promise<void> {
  await patch(world, AzureMachinePool, POOL, { metadata: { annotations: { [annotation]: value } } });
}

test("a user who asks for the roll-back of a version that is rolled back already does not lose the one before", async () => {
  const world = await brokenWorld();
  const [broken] = recordIn(world)?.history ?? [];
  await scaleTo(world, 6);
  expect(await world.until(() => recordIn(world)?.rolledBack !== undefined, HOUR_MS)).toBe(true);
  await annotate(world, PROTOTYPE_ROLLBACK_ANNOTATION, `2026-01-01T00:00:00Z ${broken?.version}`);
  await world.advance(10 * MINUTE_MS);
  expect(recordIn(world)?.history?.map(({ state }) => state)).toEqual(["Bad", "Active"]);
});

test("a version that a user pins is the one that new nodes boot from, and no controller changes that", async () => {
  const world = await brokenWorld();
  const [broken = "", good = ""] = (recordIn(world)?.history ?? []).map(({ version }) => version);
  const states = () => recordIn(world)?.history?.map(({ state }) => state);
  await annotate(world, PROTOTYPE_PIN_ANNOTATION, broken);
  await scaleTo(world, 6);
  await world.advance(HOUR_MS);
  expect(states()).toEqual(["Active", "Previous"]);
  expect(await lastOsCache(world)).toMatchObject({ status: "True", reason: "Pinned" });
  await annotate(world, PROTOTYPE_PIN_ANNOTATION, good);
  await world.advance(10 * MINUTE_MS);
  expect(states()).toEqual(["Bad", "Active"]);
  expect(await lastOsCache(world)).toMatchObject({ reason: "Pinned" });
  await annotate(world, PROTOTYPE_PIN_ANNOTATION, "20200101.1.1");
  await world.advance(10 * MINUTE_MS);
  const message = expect.stringContaining(good) as string;
  expect(await lastOsCache(world)).toMatchObject({ reason: "PinUnknown", message });
  expect(states()).toEqual(["Bad", "Active"]);
  await annotate(world, PROTOTYPE_PIN_ANNOTATION, null);
  await world.advance(10 * MINUTE_MS);
  expect(await lastOsCache(world)).toMatchObject({ reason: "NotDue" });
});

async function lastOsCache(world: World) {
  return getCondition((await poolNow(world)).status?.conditions, "LastOsCache");
}
