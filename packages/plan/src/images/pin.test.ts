import { expect, test } from "vitest";
import { decidePin, isRollbackDone } from "./pin.ts";
import type { HistoryEntry } from "./record.ts";

/** A history, newest first, by the states of its versions 3, 2, 1. */
function history(...states: readonly HistoryEntry["state"][]): readonly HistoryEntry[] {
  return states.map((state, index) => {
    const version = `${states.length - index}.0.0`;
    return { id: `/versions/${version}`, version, createdAt: "2026-01-17T10:00:00Z", state };
  });
}

const OLD_BASE = {
  id: "/images/old/versions/1.0.0",
  createdAt: "2026-01-10T10:00:00Z",
  state: "Previous",
} as const;

test.each<[string, string | undefined, readonly HistoryEntry[], object]>([
  ["no version", undefined, history("Active"), { do: "none" }],
  ["the version in use", "2.0.0", history("Active", "Previous"), { do: "hold" }],
  ["an older version", "1.0.0", history("Active", "Previous"), { do: "rollBack" }],
  [
    "an older version, two steps away",
    "1.0.0",
    history("Active", "Previous", "Previous"),
    { do: "rollBack" },
  ],
  ["a version that was rolled back", "2.0.0", history("Bad", "Active"), { do: "refuse" }],
  ["a version that is not kept", "x".repeat(1000), history("Active"), { do: "refuse" }],
  [
    "a version of an earlier base image, which is in another definition",
    "0.9.0",
    [...history("Active"), { ...OLD_BASE, version: "0.9.0" }],
    { do: "refuse" },
  ],
  ["a version without any image", "1.0.0", [], { do: "refuse" }],
])("a user pins %s", (_, pin, versions, expected) => {
  const decision = decidePin(pin, versions);
  expect(decision).toMatchObject(expected);
  expect(JSON.stringify(decision).length).toBeLessThan(400);
});

test("a request to leave a version that is left already has nothing to do", () => {
  const rolledBack = history("Bad", "Active");
  expect(isRollbackDone("2026-01-17T10:00:00Z 2.0.0", rolledBack)).toBe(true);
  expect(isRollbackDone("2026-01-17T10:00:00Z 1.0.0", rolledBack)).toBe(false);
  expect(isRollbackDone("2026-01-17T10:00:00Z", rolledBack)).toBe(false);
});
