import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryStorage } from "./memory.ts";
import { ExpiredError, type ObjectKey, StaleWriteError, type Storage } from "./storage.ts";

const at = (name: string, namespace = "a"): ObjectKey => ({ resource: "g/things", namespace, name });
const thing = ({ name, namespace }: ObjectKey, value = 0): never =>
  ({ apiVersion: "g/v1", kind: "Thing", metadata: { name, namespace }, value }) as never;

const names = (storage: Storage, query: object = {}): string[] =>
  [...storage.list({ resource: "g/things", ...query })].map(
    ({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`,
  );

describe("the memory storage", () => {
  test("gives every change of any resource the next version", async () => {
    const storage = createMemoryStorage();
    const first = await storage.create(at("x"), thing(at("x")));
    const other = await storage.create({ ...at("y"), resource: "g/others" }, thing(at("y")));
    const second = await storage.replace(at("x"), first, thing(at("x"), 1));
    const removed = await storage.remove(at("x"), second);
    const versions = [first, other, second, removed].map(({ metadata }) => metadata.resourceVersion);
    expect(versions).toEqual(["1", "2", "3", "4"]);
    expect(storage.resourceVersion).toBe(4);
  });

  test("freezes what it stores, at every depth", async () => {
    const storage = createMemoryStorage();
    const stored = await storage.create(at("x"), {
      ...(thing(at("x")) as object),
      spec: { deep: [1] },
    } as never);
    expect(() => (stored["spec"] as { deep: number[] }).deep.push(2)).toThrow(TypeError);
  });

  test("freezes new parts beside parts that it had stored before", async () => {
    const storage = createMemoryStorage();
    const whole = { ...(thing(at("x")) as object), spec: { deep: [1] }, status: { deep: [1] } } as never;
    const first = await storage.create(at("x"), whole);
    const next = {
      ...(first as object),
      metadata: { name: "x", labels: {} },
      status: { deep: [{}] },
    } as never;
    const second = await storage.replace(at("x"), first, next);
    const { deep } = second["status"] as { deep: readonly object[] };
    expect([second, second.metadata, second.metadata.labels, second["spec"], deep, deep[0]]).toSatisfy(
      (parts: unknown[]) => parts.every(Object.isFrozen),
    );
    expect(second["spec"]).toBe(first["spec"]);
  });

  test("refuses a write on a state that is not the newest", async () => {
    const storage = createMemoryStorage();
    const first = await storage.create(at("x"), thing(at("x")));
    await storage.replace(at("x"), first, thing(at("x"), 1));
    await expect(storage.replace(at("x"), first, thing(at("x"), 2))).rejects.toThrow(StaleWriteError);
    await expect(storage.remove(at("x"), first)).rejects.toThrow(StaleWriteError);
    await expect(storage.create(at("x"), thing(at("x")))).rejects.toThrow(StaleWriteError);
  });

  test("lists one namespace, or all, in the order of the keys", async () => {
    const storage = createMemoryStorage();
    for (const key of [at("b"), at("a", "a-b"), at("a"), at("z", "b")]) await storage.create(key, thing(key));
    expect(names(storage)).toEqual(["a-b/a@2", "a/a@3", "a/b@1", "b/z@4"]);
    expect(names(storage, { namespace: "a" })).toEqual(["a/a@3", "a/b@1"]);
    expect(names(storage, { namespace: "a", after: "a/a" })).toEqual(["a/b@1"]);
  });

  test("returns the state of every version in its history", async () => {
    const change = fc.record({ name: fc.constantFrom("a", "b", "c", "d", "e"), remove: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), async (changes) => {
        const storage = createMemoryStorage();
        const then: string[][] = [names(storage)];
        for (const { name, remove } of changes) {
          const old = storage.get(at(name));
          if (remove && !old) continue;
          if (!old) await storage.create(at(name), thing(at(name)));
          else if (remove) await storage.remove(at(name), old);
          else await storage.replace(at(name), old, thing(at(name)));
          then.push(names(storage));
        }
        for (const [version, state] of then.entries()) {
          expect(names(storage, { at: version })).toEqual(state);
          expect(storage.count({ resource: "g/things", at: version, after: "a/b" })).toBe(
            names(storage, { at: version, after: "a/b" }).length,
          );
        }
      }),
    );
  });

  test("drops the oldest changes when its history is full, and reports that", async () => {
    const storage = createMemoryStorage({ historyLimit: 3 });
    for (const name of ["a", "b", "c", "d"]) await storage.create(at(name), thing(at(name)));
    expect(storage.oldestVersion("g/things")).toBe(1);
    expect(storage.nextEvent("g/things", 1)?.key).toBe("a/b");
    expect(() => storage.nextEvent("g/things", 0)).toThrow(ExpiredError);
    expect(() => names(storage, { at: 0 })).toThrow(ExpiredError);
    expect(names(storage, { at: 1 })).toEqual(["a/a@1"]);
  });

  test("keeps serving a reader that has missed nothing when the history is compacted", async () => {
    const storage = createMemoryStorage();
    await storage.create(at("a"), thing(at("a")));
    for (const name of ["p", "q", "r"])
      await storage.create({ ...at(name), resource: "g/others" }, thing(at(name)));
    storage.compact(4);
    await storage.create(at("b"), thing(at("b")));
    expect(storage.nextEvent("g/things", 1)?.key).toBe("a/b");
    expect(storage.oldestVersion("g/things")).toBe(4);
    expect(storage.oldestVersion("g/never-used")).toBe(4);
  });

  test("wakes only the watches of the resource that changed", async () => {
    const storage = createMemoryStorage();
    const woken: string[] = [];
    storage.onCommit("g/things", () => woken.push("things"));
    storage.onCommit("g/others", () => woken.push("others"));
    const takeBack = storage.onCommit("g/things", () => woken.push("taken back"));
    takeBack();
    await storage.create(at("a"), thing(at("a")));
    await storage.create(at("b"), thing(at("b")));
    expect(woken).toEqual(["things"]);
  });
});
