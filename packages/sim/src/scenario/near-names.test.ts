import { describe, expect, test } from "vitest";
import { suggestion } from "./near-names.ts";

describe("an unknown name", () => {
  test("that is not similar to any gets a list of limited length", () => {
    const known = Array.from({ length: 15 }, (_, index) => `word-${index}-of-many`);
    expect(suggestion({ written: "?", known })).toMatch(
      /^expected one of word-0-of-many, .*word-11-of-many and 3 more$/,
    );
    expect(suggestion({ written: "?", known: ["only"] })).toBe("expected only");
    expect(suggestion({ written: "?", known: [] })).toBe("there is none");
  });
});
