import { expect, test } from "vitest";
import { TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import { createIfMissing, deleteIfExists, unlessGone } from "./writes.ts";

const NAME = { name: "a", namespace: "default" };

test("an object is created once; the second attempt says that it exists", async () => {
  const { client, run } = bound(new TestServer());
  expect(await run(createIfMissing(client, TestObject, testObject("a")))).toBe(true);
  expect(await run(createIfMissing(client, TestObject, testObject("a")))).toBe(false);
});

test("an object is deleted by its UID: neither one that is gone nor a successor of its name fails or goes", async () => {
  const { client, run, server } = bound(new TestServer());
  const { metadata } = await run(client.create(TestObject, testObject("a")));
  expect(await run(deleteIfExists(client, TestObject, metadata))).toBe(true);
  expect(await run(deleteIfExists(client, TestObject, metadata))).toBe(false);
  const successor = await run(client.create(TestObject, testObject("a")));
  expect(await server.failure(deleteIfExists(client, TestObject, metadata))).toMatchObject({
    failure: "Conflict",
  });
  expect((await run(client.get(TestObject, NAME))).metadata.uid).toBe(successor.metadata.uid);
});

test("a write to an object that is gone does not fail; any other failure is passed on", async () => {
  const { client, run, server } = bound(new TestServer());
  const patch = { type: "merge", body: { spec: { x: 1 } } } as const;
  expect(await run(unlessGone(client.patch(TestObject, NAME, patch)))).toBe(false);
  await run(client.create(TestObject, testObject("a")));
  expect(await run(unlessGone(client.patch(TestObject, NAME, patch)))).toBe(true);
  const stale = { ...patch, body: { metadata: { resourceVersion: "1" } } };
  expect(await server.failure(unlessGone(client.patch(TestObject, NAME, stale)))).toMatchObject({
    failure: "Conflict",
  });
});

function bound(server: TestServer) {
  return {
    server,
    client: server.client,
    run: <T>(write: Promise<T>): Promise<T> => server.run(write),
  };
}
