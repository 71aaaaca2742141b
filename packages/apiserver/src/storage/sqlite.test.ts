import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createRealEnv } from "@capstan/env";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DurableStorage, openSqliteStorage } from "./sqlite.ts";
import { type Draft, type ObjectKey, StaleWriteError, type StoredObject } from "./storage.ts";

const env = createRealEnv();
let folder: string;
const opened: DurableStorage[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "capstan-sqlite-"));
});
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.close().catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

const open = (name = "objects.db"): DurableStorage => {
  const storage = openSqliteStorage({ env, path: join(folder, name) });
  opened.push(storage);
  return storage;
};
const close = async (storage: DurableStorage): Promise<void> => {
  opened.splice(opened.indexOf(storage), 1);
  await storage.close();
};

const key = (name: string): ObjectKey => ({ resource: "/configmaps", namespace: "default", name });
const draft = (name: string, value: string): Draft => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { value },
});
const valuesIn = (storage: DurableStorage): Record<string, unknown> =>
  Object.fromEntries(
    [...storage.list({ resource: "/configmaps" })].map((object) => [object.metadata.name, object["data"]]),
  );

describe("a storage on disk", () => {
  test("has all objects after it was closed and opened, and continues with the next version", async () => {
    const before = open();
    const a = await before.create(key("a"), draft("a", "1"));
    await before.create(key("b"), draft("b", "1"));
    await before.replace(key("a"), a, draft("a", "2"));
    await before.remove(key("b"), before.get(key("b")) as StoredObject);
    expect(before.resourceVersion).toBe(4);
    await close(before);
    const after = open();
    expect(valuesIn(after)).toEqual({ a: { value: "2" } });
    expect(after.get(key("a"))?.metadata.resourceVersion).toBe("3");
    // The version of the deletion is stored although no object has it.
    expect((await after.create(key("c"), draft("c", "1"))).metadata.resourceVersion).toBe("5");
  });

  test("commits the writes of one turn together and assigns versions in order", async () => {
    const storage = open();
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
    const written = await Promise.all(names.map((name) => storage.create(key(name), draft(name, "x"))));
    expect(written.map(({ metadata }) => Number(metadata.resourceVersion))).toEqual(
      names.map((_, index) => index + 1),
    );
    const versions: number[] = [];
    for (
      let event = storage.nextEvent("/configmaps", 0);
      event;
      event = storage.nextEvent("/configmaps", event.resourceVersion)
    ) {
      versions.push(event.resourceVersion);
    }
    expect(versions).toEqual(names.map((_, index) => index + 1));
  });

  test("publishes nothing before it is committed", async () => {
    const storage = open();
    const pending = storage.create(key("a"), draft("a", "1"));
    expect(storage.get(key("a"))).toBeUndefined();
    expect(storage.resourceVersion).toBe(0);
    await pending;
    expect(storage.get(key("a"))).toBeDefined();
  });

  test("accepts one of two racing writes, and the other client sees the new state when it reads again", async () => {
    const storage = open();
    const outcomes = await Promise.allSettled([
      storage.create(key("a"), draft("a", "1")),
      storage.create(key("a"), draft("a", "2")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect((outcomes[1] as PromiseRejectedResult).reason).toBeInstanceOf(StaleWriteError);
    const old = storage.get(key("a")) as StoredObject;
    const race = [storage.replace(key("a"), old, draft("a", "3")), storage.remove(key("a"), old)];
    const late = await race[1]?.catch(() => storage.get(key("a"))?.["data"]);
    expect(late).toEqual({ value: "3" });
  });

  test("refuses all writes of a transaction that fails, and continues with the next", async () => {
    const storage = open();
    await storage.create(key("a"), draft("a", "1"));
    // A value that SQLite cannot store makes the transaction fail as a full disk would: in the middle.
    const bad = { ...key("bad"), name: undefined as unknown as string };
    const outcomes = await Promise.allSettled([
      storage.create(key("b"), draft("b", "1")),
      storage.create(bad, draft("bad", "1")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(valuesIn(storage)).toEqual({ a: { value: "1" } });
    expect((await storage.create(key("c"), draft("c", "1"))).metadata.resourceVersion).toBe("2");
    await close(storage);
    expect(valuesIn(open())).toEqual({ a: { value: "1" }, c: { value: "1" } });
  });
});

describe("power loss", () => {
  test("at any point of the log leaves a state that was once committed", async () => {
    const storage = open();
    for (let index = 0; index < 12; index++) {
      const old = storage.get(key("a"));
      if (old) await storage.replace(key("a"), old, draft("a", String(index)));
      else await storage.create(key("a"), draft("a", String(index)));
      await storage.create(key(`n${index}`), draft(`n${index}`, "x"));
    }
    const source = join(folder, "objects.db");
    const walSize = statSync(`${source}-wal`).size;
    // A frame is a page of 4,096 bytes with a header of 24, after a file header of 32 bytes.
    const cuts = new Set<number>();
    for (let frame = 0; 32 + frame * 4120 <= walSize; frame++)
      for (const shift of [0, 1, 2060]) cuts.add(32 + frame * 4120 + shift);
    let states = 0;
    for (const cut of cuts) {
      const copy = join(folder, `cut-${cut}.db`);
      copyFileSync(source, copy);
      copyFileSync(`${source}-wal`, `${copy}-wal`);
      truncateSync(`${copy}-wal`, Math.min(cut, walSize));
      const recovered = open(`cut-${cut}.db`);
      const count = [...recovered.list({ resource: "/configmaps" })].length;
      const value = recovered.get(key("a"))?.["data"] as { value: string } | undefined;
      // After each odd version there is one object more; "a" identifies the round.
      const round = value === undefined ? -1 : Number(value.value);
      expect([round + 1, round + 2]).toContain(count);
      expect(recovered.resourceVersion).toBe(round < 0 ? 0 : round * 2 + 1 + Number(count === round + 2));
      states = Math.max(states, recovered.resourceVersion);
      await close(recovered);
    }
    expect(states).toBe(24);
  });
});

describe("a database that cannot be used", () => {
  test("of a newer format is refused and not changed", () => {
    const path = join(folder, "objects.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE future (x); PRAGMA user_version = 99");
    database.close();
    const before = readFileSync(path);
    expect(() => open()).toThrow("was written by a newer Capstan (format 99, this one knows 1)");
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("that was emptied is refused", async () => {
    const storage = open();
    await storage.create(key("a"), draft("a", "1"));
    await close(storage);
    writeFileSync(join(folder, "objects.db"), "");
    expect(() => open()).toThrow(
      "it has lost its content; restore it from a copy, or remove it to start empty",
    );
  });

  test("without the log of a server that was killed is refused, and with it has every object", async () => {
    const storage = open();
    await storage.create(key("a"), draft("a", "1"));
    // The files as a killed server leaves them.
    copyFileSync(join(folder, "objects.db"), join(folder, "killed.db"));
    expect(() => open("killed.db")).toThrow("the newest writes are missing");
    copyFileSync(join(folder, "objects.db"), join(folder, "whole.db"));
    copyFileSync(join(folder, "objects.db-wal"), join(folder, "whole.db-wal"));
    expect(valuesIn(open("whole.db"))).toEqual({ a: { value: "1" } });
  });

  test("with a damaged page is refused", async () => {
    const storage = open();
    for (let count = 0; count < 200; count++)
      await storage.create(key(`a${count}`), draft(`a${count}`, "1".repeat(200)));
    await close(storage);
    const path = join(folder, "objects.db");
    const bytes = readFileSync(path);
    bytes.fill(0, 3 * 4096, 4 * 4096);
    writeFileSync(path, bytes);
    expect(() => open()).toThrow("it is damaged; restore it from a copy, or remove it to start empty");
  });

  test("that was cut off is refused", async () => {
    const storage = open();
    for (let count = 0; count < 200; count++)
      await storage.create(key(`a${count}`), draft(`a${count}`, "1".repeat(200)));
    await close(storage);
    truncateSync(join(folder, "objects.db"), 5 * 4096);
    expect(() => open()).toThrow("it is damaged");
  });

  test("that another process holds is refused", () => {
    open();
    expect(() => open()).toThrow("another process holds it");
  });

  test("of another program is refused and not changed", () => {
    const path = join(folder, "objects.db");
    writeFileSync(path, "this is a text about harbours, too long for an empty database file".repeat(100));
    expect(() => open()).toThrow("it is not a SQLite database");
    expect(readFileSync(path, "utf8")).toContain("harbours");
  });

  test("in a folder that does not exist is reported", () => {
    expect(() => openSqliteStorage({ env, path: join(folder, "nowhere", "objects.db") })).toThrow(
      "check that the folder exists",
    );
    expect(existsSync(join(folder, "nowhere"))).toBe(false);
  });

  test("in a folder that is not writable is reported", () => {
    expect(() => openSqliteStorage({ env, path: "/proc/objects.db" })).toThrow("is writable");
  });
});
