import fc from "fast-check";
import { expect, test } from "vitest";
import { Agenda } from "./agenda.ts";

test("completions are ordered by time, then by order of entry", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), (times) => {
      const agenda = new Agenda(false);
      for (const [index, time] of times.entries()) agenda.enter(time, "effect", { index });
      const out: [number, unknown][] = [];
      for (let due = agenda.takeDue(50); due; due = agenda.takeDue(50))
        out.push([due.dueMs, due.args["index"]]);
      const expected = times
        .map((time, index): [number, unknown] => [time, index])
        .sort((a, b) => a[0] - b[0]);
      expect(out).toEqual(expected);
    }),
  );
});

test("keeps a completion that is not due yet", () => {
  const agenda = new Agenda(false);
  agenda.enter(10, "effect", {});
  expect(agenda.takeDue(9)).toBeUndefined();
  expect(agenda.nextDueMs).toBe(10);
  expect(agenda.takeDue(10)?.dueMs).toBe(10);
  expect(agenda.nextDueMs).toBeUndefined();
});

test("removes a completion from the store when it is due", () => {
  const agenda = new Agenda(true);
  agenda.enter(1, "effect", {});
  expect([...agenda.table.takeChanges()].length).toBe(1);
  agenda.takeDue(1);
  expect([...agenda.table.takeChanges()]).toEqual([{ table: "completion", key: "1", row: undefined }]);
});

test("a restored agenda keeps its order and its sequence numbers", () => {
  const before = new Agenda(true);
  before.enter(5, "later", {});
  before.enter(1, "sooner", {});
  const after = new Agenda(true);
  for (const { key, row } of before.table.takeChanges()) after.table.restore(key, row);
  after.restored();
  after.enter(1, "third", {});
  const names = [1, 2, 3].map(() => after.takeDue(9)?.effect);
  expect(names).toEqual(["sooner", "third", "later"]);
});
