import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readDurations } from "../fleet-rehearsal/read-durations.ts";
import { FAULT_IDS } from "./fault-catalogue.ts";
import { faultTable, strikeTable } from "./fault-table.ts";
import { readFault } from "./fault-text.ts";
import { formatProblem } from "./problem.ts";
import { readScenario } from "./read-scenario.ts";
import { STEP_NAMES } from "./step-readers.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const PAGE = readFileSync(join(ROOT, "docs/scenarios.md"), "utf8");

/** The text between two marks of the page. */
function between(start: string, end: string): string {
  const from = PAGE.indexOf(start) + start.length;
  return PAGE.slice(from, PAGE.indexOf(end, from));
}

/** The first column of the tables of a section. */
function namesIn(heading: string): readonly string[] {
  const section = between(`\n${heading}\n`, "\n#");
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = ""]) => name);
}

function yamlIn(text: string): readonly string[] {
  return [...text.matchAll(/```yaml\n([^]*?)```/g)].map(([, block = ""]) => block);
}

const DURATIONS = between("\n## Durations of your own\n", "\n## ");

describe("docs/scenarios.md", () => {
  test("has the current tables of the catalogue", () => {
    const generated = between("fault-catalogue.ts -->\n", "<!-- end of generated part -->");
    expect(generated).toBe(`${strikeTable()}\n${faultTable()}`);
    expect(namesIn("## Faults")).toEqual(FAULT_IDS);
  });

  test("explains every step and no other", () => {
    expect(namesIn("## Steps")).toEqual(STEP_NAMES);
  });

  test("lists every example and no other", () => {
    const examples = readdirSync(join(ROOT, "examples/scenarios"));
    expect([...namesIn("# Scenarios")].toSorted()).toEqual(examples.toSorted());
  });

  test("has valid scenarios", () => {
    const blocks = yamlIn(PAGE).filter((text) => !yamlIn(DURATIONS).includes(text));
    expect(blocks.length).toBeGreaterThan(0);
    for (const text of blocks) {
      const reading = readScenario("docs.yaml", () => text);
      expect("problems" in reading ? reading.problems.map(formatProblem) : []).toEqual([]);
    }
  });

  test("has valid durations", () => {
    const [text = "", ...more] = yamlIn(DURATIONS);
    expect(more).toEqual([]);
    expect(readDurations("docs.yaml", text)).toMatchObject({ durations: { pods: { stopMs: 15_000 } } });
  });

  test("has valid texts of faults", () => {
    const block = between("those of the file.\n\n```text\n", "```");
    const texts = block
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)[0] ?? "");
    expect(texts.length).toBeGreaterThan(5);
    for (const text of texts) expect([text, "fault" in readFault(text)]).toEqual([text, true]);
  });
});
