import { expect, test } from "vitest";
import { afterReverts, type Contest, heldFor, NO_CONTEST, type Revert } from "./contest.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const SIZE = { field: "spec.size", manager: "kubectl-edit" };

/** The waits after reverts at these times; 0 where the object is applied. */
function waits(
  at: readonly number[],
  seen: (index: number) => Pick<Revert, "field" | "manager"> = () => SIZE,
) {
  let contest: Contest = NO_CONTEST;
  return at.map((nowMs, index) => {
    const next = afterReverts(contest, [seen(index)], nowMs);
    ({ contest } = next);
    return next.verdict.do === "wait" ? next.verdict.waitMs : 0;
  });
}

test("the fifth revert of a field by the same manager within a minute ends in a wait of a minute", () => {
  expect(waits([0, 10, 20, 30, 40].map((seconds) => seconds * SECOND))).toEqual([0, 0, 0, 0, MINUTE]);
});

test("fewer reverts in a minute, of several fields or by several managers, are applied", () => {
  expect(waits([0, 15, 30, 45, 60, 75].map((seconds) => seconds * SECOND)).at(-1)).toBe(0);
  const fields = waits([0, 1, 2, 3, 4, 5], (index) => ({ ...SIZE, field: `spec.f${index % 2}` }));
  const managers = waits([0, 1, 2, 3, 4, 5], (index) => ({ ...SIZE, manager: `m${index % 2}` }));
  expect([...fields, ...managers].every((wait) => wait === 0)).toBe(true);
});

test("after each wait one apply follows, and the next wait is longer, at most five minutes", () => {
  let contest: Contest = NO_CONTEST;
  let nowMs = 0;
  for (let count = 0; count < 4; count++) ({ contest } = afterReverts(contest, [SIZE], nowMs++));
  const lengths: number[] = [];
  for (let round = 0; round < 5; round++) {
    const next = afterReverts(contest, [SIZE], nowMs);
    ({ contest } = next);
    const waitMs = next.verdict.do === "wait" ? next.verdict.waitMs : 0;
    lengths.push(waitMs / MINUTE);
    expect(heldFor(contest, nowMs + waitMs - 1)).toMatchObject(SIZE);
    expect(heldFor(contest, nowMs + waitMs)).toBeUndefined();
    nowMs += waitMs + SECOND;
  }
  expect(lengths).toEqual([1, 2, 4, 5, 5]);
});

test("a field that stays for a minute after a wait begins to count anew", () => {
  const held = afterReverts(
    { reverts: [SIZE, SIZE, SIZE, SIZE].map((one) => ({ ...one, atMs: 0 })) },
    [SIZE],
    1,
  );
  const later = 1 + 2 * MINUTE + SECOND;
  expect(held.verdict.do).toBe("wait");
  expect(afterReverts(held.contest, [SIZE], later).verdict).toEqual({ do: "apply" });
});
