import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { STORIES } from "./stories.fixture.ts";
import { runStory } from "./story.fixture.ts";

const SEEDS = 40;
const FOLDER = import.meta.dirname;

describe.each(Object.entries(STORIES))("%s", (name, line) => {
  test("matches its golden file", () => {
    const result = runStory(line, "plan first");
    const text = [
      `# ${line}`,
      "# minutes:seconds  available/live  what",
      ...result.log,
      "",
      ...result.end,
      "",
    ].join("\n");
    const file = join(FOLDER, `${name}.txt`);
    if (process.env["CAPSTAN_GOLDEN"] === "write") {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, text);
    }
    expect(result.violations).toEqual([]);
    expect(text).toBe(readFileSync(file, "utf8"));
  });

  test("keeps the invariants and ends the same in every order of events", () => {
    const { end } = runStory(line, "plan first");
    const orders = ["world first" as const, ...Array.from({ length: SEEDS }, (_, seed) => seed)];
    const wrong = orders.flatMap((order) => {
      const result = runStory(line, order);
      const isSameEnd = result.end.join("\n") === end.join("\n");
      return result.violations.length === 0 && isSameEnd
        ? []
        : [{ order, violations: result.violations, end: result.end }];
    });
    expect(wrong).toEqual([]);
  });
});
