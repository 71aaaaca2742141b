import { describe, expect, test } from "vitest";
import { Cache } from "../cache/cache.ts";
import { silentLogger } from "../log/logger.ts";
import { Chest, Crate, TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import { OwnedObjects } from "./owned-objects.ts";

const crate = { name: "crate", namespace: "default" };

async function setup() {
  const testServer = new TestServer();
  const object = await testServer.run(testServer.client.create(TestObject, testObject("a")));
  const { process, client, requests } = testServer.connect("manager");
  const onBug = (error: unknown): void => testServer.scheduler.fail(error);
  const cache = new Cache({ client, env: process, log: silentLogger, onBug });
  cache.informer(Crate);
  await testServer.run(cache.start(new AbortController().signal));
  const owned = new OwnedObjects();
  const apply = async (spec: object, objects = owned): Promise<number> => {
    const before = requests.filter(({ method }) => method === "PATCH").length;
    await testServer.run(
      objects.apply({ client, cache, env: process, object }, Crate, { metadata: crate, spec }),
    );
    await testServer.scheduler.advance(1000);
    return requests.filter(({ method }) => method === "PATCH").length - before;
  };
  const read = () => testServer.run(testServer.client.get(Crate, crate));
  const userWrites = async (body: object): Promise<void> => {
    await testServer.run(testServer.client.patch(Crate, crate, { type: "merge", body }));
    // The cache shows it.
    await testServer.scheduler.advance(100);
  };
  return { apply, read, userWrites, object };
}

describe("an owned object that is applied", () => {
  test("is created with the reconciled object as its controller", async () => {
    const { apply, read, object } = await setup();
    await apply({ planks: 3 });
    const created = await read();
    expect(created.spec).toEqual({ planks: 3 });
    expect(created.metadata.ownerReferences).toMatchObject([{ uid: object.metadata.uid, controller: true }]);
  });

  test("loses the fields that are no longer applied, and keeps those of users", async () => {
    const { apply, read, userWrites } = await setup();
    await apply({ planks: 3, nails: 9 });
    await userWrites({ metadata: { labels: { mine: "yes" } }, spec: { colour: "red" } });
    await apply({ planks: 3 });
    const { metadata, spec } = await read();
    expect(spec).toEqual({ planks: 3, colour: "red" });
    expect(metadata.labels).toEqual({ mine: "yes" });
  });

  test("is not sent again while nothing has changed", async () => {
    const { apply } = await setup();
    expect([await apply({ planks: 3 }), await apply({ planks: 3 }), await apply({ planks: 4 })]).toEqual([
      1, 0, 1,
    ]);
  });

  test("is not sent again after another client has changed only its status or its own metadata", async () => {
    const { apply, userWrites } = await setup();
    await apply({ planks: 3 });
    await userWrites({ metadata: { annotations: { theirs: "yes" } } });
    expect(await apply({ planks: 3 })).toBe(0);
  });

  test("is sent again after another client has changed it, and gets its values back", async () => {
    const { apply, read, userWrites } = await setup();
    await apply({ planks: 3 });
    await userWrites({ spec: { planks: 4 } });
    expect(await apply({ planks: 3 })).toBe(1);
    expect((await read()).spec).toEqual({ planks: 3 });
  });

  test("is left alone for a minute when the same client changes it back five times, with field and client named", async () => {
    const { apply, read, userWrites } = await setup();
    await apply({ planks: 3 });
    const fight = async (rounds: number): Promise<string> => {
      for (let round = 0; round < rounds; round++) {
        await userWrites({ spec: { planks: 4 } });
        try {
          await apply({ planks: 3 });
        } catch (error) {
          return `${round} ${(error as Error).message}`;
        }
      }
      return "applied each time";
    };
    expect(await fight(9)).toContain(
      "4 Field manager user keeps changing spec.planks of Crate crate back; it is applied again after some minutes",
    );
    expect((await read()).spec).toEqual({ planks: 4 });
    await expect(apply({ planks: 3 })).rejects.toMatchObject({ reason: "FieldContested" });
  });

  test("is applied again at once after a change of ours, although a field was contested", async () => {
    const { apply, read, userWrites } = await setup();
    await apply({ planks: 3 });
    for (let round = 0; round < 5; round++) {
      await userWrites({ spec: { planks: 4 } });
      await apply({ planks: 3 }).catch(() => 0);
    }
    expect((await read()).spec).toEqual({ planks: 4 });
    expect(await apply({ planks: 5 })).toBe(1);
    expect((await read()).spec).toEqual({ planks: 5 });
  });

  test("does not count changes of fields that the reconciled object does not want", async () => {
    const { apply, userWrites } = await setup();
    await apply({ planks: 3 });
    for (let nails = 0; nails < 9; nails++) {
      await userWrites({ spec: { nails } });
      expect(await apply({ planks: 3 })).toBe(1);
    }
  });

  test("is sent once after a restart, which changes nothing", async () => {
    const { apply, read } = await setup();
    await apply({ planks: 3 });
    const before = await read();
    expect(await apply({ planks: 3 }, new OwnedObjects())).toBe(1);
    expect((await read()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });
});

describe("an object of a kind with several versions", () => {
  const chest = { name: "chest", namespace: "default" };
  const inV2 = { ...Chest, version: "v2", apiVersion: `${Chest.group}/v2` };

  async function chests() {
    const testServer = new TestServer();
    const object = await testServer.run(testServer.client.create(TestObject, testObject("a")));
    const { process, client, requests } = testServer.connect("manager");
    const onBug = (error: unknown): void => testServer.scheduler.fail(error);
    const cache = new Cache({ client, env: process, log: silentLogger, onBug });
    for (const kind of [Chest, inV2]) cache.informer(kind);
    await testServer.run(cache.start(new AbortController().signal));
    const owned = new OwnedObjects();
    const apply = async (kind: typeof Chest, spec: object) => {
      const before = requests.filter(({ method }) => method === "PATCH").length;
      const owner = { client, cache, env: process, object };
      const { unkept } = await testServer.run(owned.apply(owner, kind, { metadata: chest, spec }));
      await testServer.scheduler.advance(1000);
      return { unkept, writes: requests.filter(({ method }) => method === "PATCH").length - before };
    };
    return { apply, testServer };
  }

  test("keeps a field that the version of the last apply lacks", async () => {
    const { apply, testServer } = await chests();
    await apply(inV2, { planks: 3 });
    expect(await apply(Chest, { planks: 3, lock: "iron" })).toEqual({ unkept: [], writes: 2 });
    expect((await testServer.run(testServer.client.get(Chest, chest))).spec).toMatchObject({ lock: "iron" });
    expect(await apply(Chest, { planks: 3, lock: "iron" })).toMatchObject({ writes: 0 });
  });

  test("gets a field back that a write of the status in an older version has lost", async () => {
    const { apply, testServer } = await chests();
    await apply(Chest, { planks: 3, lock: "iron" });
    const { client, storage } = testServer;
    const key = { resource: `${Chest.group}/${Chest.plural}`, ...chest };
    const stored = storage.get(key);
    if (!stored) throw new Error("the chest is not stored");
    // What kube-apiserver does then: the generation stays.
    await testServer.run(storage.replace(key, stored, { ...stored, spec: { planks: 3 } } as never));
    await testServer.scheduler.advance(1000);
    await apply(Chest, { planks: 3, lock: "iron" });
    expect((await testServer.run(client.get(Chest, chest))).spec).toMatchObject({ lock: "iron" });
  });

  test("names a field that the stored version does not keep, and tries it again after ten minutes", async () => {
    const { apply, testServer } = await chests();
    expect(await apply(inV2, { weight: "2kg" })).toEqual({ unkept: ["spec.weight"], writes: 2 });
    expect(await apply(inV2, { weight: "2kg" })).toEqual({ unkept: ["spec.weight"], writes: 0 });
    await testServer.scheduler.advance(10 * 60_000);
    expect(await apply(inV2, { weight: "2kg" })).toEqual({ unkept: ["spec.weight"], writes: 2 });
  });
});
