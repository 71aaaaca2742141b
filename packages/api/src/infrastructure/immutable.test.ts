import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { type ImmutableField, immutableFieldErrors } from "./immutable.ts";

interface Thing {
  size?: number;
  place?: { zone: string };
}

const fields: readonly ImmutableField<Thing>[] = [
  { path: "size", read: ({ size }) => size, instead: "make a new one", maySetLater: true },
  { path: "place", read: ({ place }) => place, instead: "move house" },
];

describe("validateImmutable", () => {
  test("ignores a new object or an equal one", () => {
    expect(immutableFieldErrors({ size: 1 }, undefined, fields)).toEqual([]);
    expect(immutableFieldErrors({ place: { zone: "1" } }, { place: { zone: "1" } }, fields)).toEqual([]);
  });

  test("allows a field to be set once if it may", () => {
    expect(immutableFieldErrors<Thing>({ size: 1 }, {}, fields)).toEqual([]);
    expect(immutableFieldErrors<Thing>({ place: { zone: "1" } }, {}, fields).map(formatFieldError)).toEqual([
      'place: Forbidden: cannot change from unset to {"zone":"1"}: move house',
    ]);
  });

  test("names the old value, the new one and what to do instead", () => {
    expect(immutableFieldErrors<Thing>({}, { size: 2 }, fields).map(formatFieldError)).toEqual([
      "size: Forbidden: cannot change from 2 to unset: make a new one",
    ]);
  });
});
