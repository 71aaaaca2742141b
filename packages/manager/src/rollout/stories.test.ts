import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { STORIES } from "./stories.fixture.ts";
import { tell } from "./story.fixture.ts";

const SEEDS = 100;
const FOLDER = join(import.meta.dirname, "stories");

describe.each(Object.entries(STORIES))("%s", (name, line) => {
  test("goes as it was written down", () => {
    const told = tell(line, "plan first");
    const text = [
      `# ${line}`,
      "# minutes:seconds  available/live  what",
      ...told.log,
      "",
      ...told.end,
      "",
    ].join("\n");
    const file = join(FOLDER, `${name}.txt`);
    if (process.env["CAPSTAN_GOLDEN"] === "write") {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, text);
    }
    expect(told.violations).toEqual([]);
    expect(text).toBe(readFileSync(file, "utf8"));
  });

  test("keeps the invariants and ends the same in every order of events", () => {
    const { end } = tell(line, "plan first");
    const orders = ["world first" as const, ...Array.from({ length: SEEDS }, (_, seed) => seed)];
    const wrong = orders.flatMap((order) => {
      const told = tell(line, order);
      const isSameEnd = told.end.join("\n") === end.join("\n");
      return told.violations.length === 0 && isSameEnd
        ? []
        : [{ order, violations: told.violations, end: told.end }];
    });
    expect(wrong).toEqual([]);
  });
});
