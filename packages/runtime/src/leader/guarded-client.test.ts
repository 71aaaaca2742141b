import { describe, expect, test } from "vitest";
import type { Client } from "../client/client.ts";
import { TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import { guardWrites } from "./guarded-client.ts";

const a = { name: "a", namespace: "default" };

describe("a guarded client", () => {
  const writes: [string, (client: Client) => Promise<unknown>][] = [
    ["create", (client) => client.create(TestObject, testObject("a"))],
    ["update", (client) => client.update(TestObject, testObject("a"))],
    ["patch", (client) => client.patch(TestObject, a, { type: "merge", body: {} })],
    ["delete", (client) => client.delete(TestObject, a)],
  ];

  test.each(writes)("sends no %s without leadership", async (_, write) => {
    const testServer = new TestServer();
    const { client, requests } = testServer.connect("manager");
    const guarded = guardWrites(client, () => {
      throw new Error("not the leader");
    });
    await expect(write(guarded)).rejects.toThrow("not the leader");
    expect(requests).toEqual([]);
  });

  test("checks before each write, and never for a read", async () => {
    const testServer = new TestServer();
    let asked = 0;
    const guarded = guardWrites(testServer.client, () => void asked++);
    for (const [, write] of writes) {
      await testServer.run(write(guarded).catch(() => undefined));
    }
    expect(asked).toBe(4);
    await testServer.run(guarded.find(TestObject, a));
    await testServer.run(guarded.list(TestObject));
    expect(asked).toBe(4);
  });
});
