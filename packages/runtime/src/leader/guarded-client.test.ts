import { describe, expect, test } from "vitest";
import type { Client } from "../client/client.ts";
import { Boat, boat, Harbour } from "../harbour.fixture.ts";
import { guardWrites } from "./guarded-client.ts";

const a = { name: "a", namespace: "default" };

describe("a guarded client", () => {
  const writes: [string, (client: Client) => Promise<unknown>][] = [
    ["create", (client) => client.create(Boat, boat("a"))],
    ["update", (client) => client.update(Boat, boat("a"))],
    ["patch", (client) => client.patch(Boat, a, { type: "merge", body: {} })],
    ["delete", (client) => client.delete(Boat, a)],
  ];

  test.each(writes)("sends no %s when it may not", async (_, write) => {
    const harbour = new Harbour();
    const { client, requests } = harbour.connect("manager");
    const guarded = guardWrites(client, () => {
      throw new Error("not the leader");
    });
    await expect(write(guarded)).rejects.toThrow("not the leader");
    expect(requests).toEqual([]);
  });

  test("asks anew before each write, and never for a read", async () => {
    const harbour = new Harbour();
    let asked = 0;
    const guarded = guardWrites(harbour.client, () => void asked++);
    for (const [, write] of writes) {
      await harbour.run(write(guarded).catch(() => undefined));
    }
    expect(asked).toBe(4);
    await harbour.run(guarded.find(Boat, a));
    await harbour.run(guarded.list(Boat));
    expect(asked).toBe(4);
  });
});
