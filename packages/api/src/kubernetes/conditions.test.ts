import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Condition } from "./condition.ts";
import {
  getCondition,
  isTrue,
  markFalse,
  markTrue,
  markUnknown,
  removeCondition,
  summarizeReady,
} from "./conditions.ts";

const NOON = Date.parse("2026-11-15T12:00:00Z");
const LATER = NOON + 90_500;

describe("setting a condition", () => {
  test("writes status, reason, severity, message and the time", () => {
    expect(
      markFalse([], "NodeHealthy", { reason: "Drained", severity: "Warning", message: "gone", now: NOON }),
    ).toEqual([
      {
        type: "NodeHealthy",
        status: "False",
        severity: "Warning",
        reason: "Drained",
        message: "gone",
        lastTransitionTime: "2026-11-15T12:00:00Z",
      },
    ]);
  });

  test("keeps the time of transition while the status stays", () => {
    const before = markUnknown([], "A", { reason: "Waiting", now: NOON });
    const after = markUnknown(before, "A", { reason: "StillWaiting", message: "for the node", now: LATER });
    expect(after).toEqual([
      {
        type: "A",
        status: "Unknown",
        reason: "StillWaiting",
        message: "for the node",
        lastTransitionTime: "2026-11-15T12:00:00Z",
      },
    ]);
  });

  test("moves the time of transition when the status changes", () => {
    const before = markUnknown([], "A", { reason: "Waiting", now: NOON });
    expect(markTrue(before, "A", { reason: "Here", now: LATER })[0]?.lastTransitionTime).toBe(
      "2026-11-15T12:01:30Z",
    );
  });

  test("does not keep a time that a clock far ahead has written", () => {
    const ahead = (minutes: number) => NOON + minutes * 60_000;
    const at = (now: number): string | undefined =>
      markTrue(markTrue([], "A", { reason: "Here", now }), "A", { reason: "Here", now: NOON })[0]
        ?.lastTransitionTime;
    expect(at(ahead(4))).toBe("2026-11-15T12:04:00Z");
    expect(at(ahead(60))).toBe("2026-11-15T12:00:00Z");
  });

  test("returns the same list when nothing changes", () => {
    const before = markTrue([], "A", { reason: "Here", now: NOON });
    expect(markTrue(before, "A", { reason: "Here", now: LATER })).toBe(before);
  });

  test("drops the severity when it is no longer False", () => {
    const before = markFalse([], "A", { reason: "Bad", severity: "Error", now: NOON });
    expect(markTrue(before, "A", { reason: "Good", now: LATER })[0]).not.toHaveProperty("severity");
  });

  test("does not change the list it was given", () => {
    const before = Object.freeze(markTrue([], "B", { reason: "Here", now: NOON }));
    markTrue(before, "A", { reason: "Here", now: NOON });
    expect(before.map(({ type }) => type)).toEqual(["B"]);
  });

  test("sorts Ready first and the others by name", () => {
    const update = { reason: "Here", now: NOON };
    const list = ["Zeta", "Ready", "Alpha", "Sigma"].reduce<readonly Condition[]>(
      (conditions, type) => markTrue(conditions, type, update),
      [],
    );
    expect(list.map(({ type }) => type)).toEqual(["Ready", "Alpha", "Sigma", "Zeta"]);
  });
});

test("a reason and a message of any length become ones that a server accepts, and stay the same from then on", () => {
  const update = { reason: "R".repeat(300), message: `Azure\u0000 says: ${"x".repeat(20_000)}`, now: NOON };
  const list = markTrue(undefined, "A", update);
  const { reason = "", message = "" } = getCondition(list, "A") ?? {};
  expect(reason).toHaveLength(256);
  expect(message).toHaveLength(10_240);
  expect(message).toMatch(/^Azure {2}says: x+…$/);
  expect(markTrue(list, "A", update), "nothing has changed").toBe(list);
});

test("finds and removes conditions", () => {
  const list = markTrue(undefined, "A", { reason: "Here", now: NOON });
  expect(getCondition(list, "A")?.status).toBe("True");
  expect(isTrue(list, "A")).toBe(true);
  expect(isTrue(list, "B")).toBe(false);
  expect(isTrue(undefined, "A")).toBe(false);
  expect(removeCondition(list, "A")).toEqual([]);
  expect(removeCondition(list, "B")).toBe(list);
});

describe("the Ready summary", () => {
  const shorthand = {
    error: (type: string) => ({
      type,
      status: "False",
      severity: "Error",
      reason: "Broken",
      message: "it broke",
    }),
    warning: (type: string) => ({
      type,
      status: "False",
      severity: "Warning",
      reason: "Slow",
      message: "it is slow",
    }),
    info: (type: string) => ({
      type,
      status: "False",
      severity: "Info",
      reason: "Waiting",
      message: "it waits",
    }),
    unknown: (type: string) => ({ type, status: "Unknown", reason: "NotSeen", message: "not observed" }),
    good: (type: string) => ({ type, status: "True", reason: "Fine" }),
  };
  const { error, warning, info, unknown, good } = shorthand;

  test.each([
    ["an error above a warning", [warning("A"), error("B")], "False", "Error", "B: it broke"],
    ["a warning above an info", [info("A"), warning("B")], "False", "Warning", "B: it is slow"],
    ["an info above an unknown", [unknown("A"), info("B")], "False", "Info", "B: it waits"],
    ["an unknown above a true", [good("A"), unknown("B")], "Unknown", undefined, "B: not observed"],
    ["true when all are", [good("A"), good("B")], "True", undefined, undefined],
    ["the first by name among equals", [error("B"), error("A")], "False", "Error", "A: it broke"],
    [
      "a False without severity as an error",
      [info("A"), { ...error("B"), severity: "" }],
      "False",
      "Error",
      "B: it broke",
    ],
  ])("ranks %s", (_, list, status, severity, message) => {
    const ready = summarizeReady(list.map(dated), { now: LATER });
    expect(ready).toMatchObject({ type: "Ready", status, lastTransitionTime: "2026-11-15T12:01:30Z" });
    expect(ready?.severity).toBe(severity);
    expect(ready?.message).toBe(message);
    expect(ready?.reason).toBeTruthy();
  });

  test("considers only the given types, the first of them first", () => {
    const list = [error("A"), error("B"), error("C")].map(dated);
    expect(summarizeReady(list, { types: ["C", "B"], now: NOON })?.message).toBe("C: it broke");
  });

  test("treats a True of negative polarity as bad", () => {
    const list = [{ ...good("RemovalBlocked"), message: "12 machines are missing" }, good("A")].map(dated);
    expect(summarizeReady(list, { negative: ["RemovalBlocked"], now: NOON })).toMatchObject({
      status: "False",
      severity: "Error",
      message: "RemovalBlocked: 12 machines are missing",
    });
    expect(
      summarizeReady([{ ...good("RemovalBlocked"), status: "False" }].map(dated), {
        negative: ["RemovalBlocked"],
        now: NOON,
      })?.status,
    ).toBe("True");
  });

  test("is absent when there is nothing to summarize", () => {
    expect(summarizeReady([], { now: NOON })).toBeUndefined();
    expect(summarizeReady([dated(good("Ready"))], { now: NOON })).toBeUndefined();
  });

  test("does not depend on the order of the conditions", () => {
    const any = fc.uniqueArray(
      fc.tuple(fc.constantFrom("A", "B", "C", "D"), fc.constantFrom(error, warning, info, unknown, good)),
      { selector: ([type]) => type },
    );
    fc.assert(
      fc.property(any, (pairs) => {
        const list = pairs.map(([type, make]) => dated(make(type)));
        expect(summarizeReady(list.toReversed(), { now: NOON })).toEqual(summarizeReady(list, { now: NOON }));
      }),
    );
  });
});

function dated(condition: object): Condition {
  return { lastTransitionTime: "2026-11-15T11:00:00Z", ...condition } as Condition;
}
