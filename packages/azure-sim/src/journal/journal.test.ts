import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { Journal, type JournalEntry } from "./journal.ts";

const entry: Omit<JournalEntry, "sequence"> = {
  atMs: 1,
  method: "GET",
  path: "/a",
  principal: "p",
  status: 200,
  operation: "GET a",
};

test("the hash covers all entries so far, in order", () => {
  const [first, second, third] = [new Journal(false), new Journal(false), new Journal(false)];
  for (const journal of [first, second]) for (const path of ["/a", "/b"]) journal.add({ ...entry, path });
  for (const path of ["/b", "/a"]) third.add({ ...entry, path });
  expect(first.hash).toBe(second.hash);
  expect(first.hash).not.toBe(third.hash);
});

test("the hash is the SHA-256 of the previous hash and the next entry, so that a reader can verify it", () => {
  const journal = new Journal(false);
  let expected = "";
  for (const [index, path] of ["/a", "/ä"].entries()) {
    journal.add({ ...entry, path });
    const text = JSON.stringify({ sequence: index + 1, ...entry, path });
    expected = createHash("sha256").update(`${expected}${text}`).digest("hex");
  }
  expect(journal.hash).toBe(expected);
});

test("the hash does not depend on how often it is read, also for entries that are no longer in memory", () => {
  const [often, once] = [new Journal(false), new Journal(false)];
  for (let index = 0; index < 200_005; index++) {
    for (const journal of [often, once]) journal.add(entry);
    if (index % 50_000 === 0) expect(often.hash).not.toBe("");
  }
  expect(once.since(0).length).toBeLessThan(200_005);
  expect(once.hash).toBe(often.hash);
});

test("returns the entries after a number, oldest first", () => {
  const journal = new Journal(false);
  for (const path of ["/a", "/b", "/c"]) journal.add({ ...entry, path });
  expect(journal.since(1).map(({ path }) => path)).toEqual(["/b", "/c"]);
  expect(journal.since(3)).toEqual([]);
});

test("a journal that continues after a restart has the same hash as one without a restart", () => {
  const whole = new Journal(false);
  whole.add(entry);
  const resumed = new Journal(false);
  resumed.restore({ count: whole.count, hash: whole.hash, entries: whole.since(0) });
  for (const journal of [whole, resumed]) journal.add({ ...entry, path: "/b" });
  expect(resumed.hash).toBe(whole.hash);
  expect(resumed.since(0)).toEqual(whole.since(0));
});

test("beside a store it keeps the newest entries alone, and its count and hash are those of all", () => {
  const entryOf = (number: number) => ({
    atMs: number,
    method: "GET",
    path: `/${number}`,
    principal: "p",
    status: 200,
    operation: "GET x",
  });
  const [stored, whole] = [new Journal(true), new Journal(false)];
  for (let number = 1; number <= 12_000; number++) {
    stored.add(entryOf(number));
    whole.add(entryOf(number));
  }
  expect(stored.since(0).length).toBeLessThanOrEqual(10_000);
  expect(stored.since(0).at(-1)).toEqual(whole.since(0).at(-1));
  expect([stored.count, stored.hash]).toEqual([whole.count, whole.hash]);
});
