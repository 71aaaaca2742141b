import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commandOf, exhaustiveUnits, freshStorms, parseOptions, unitsOf } from "./plan.ts";

const DEEP = ["a.deep.ts", "b/storm.deep.ts", "c.deep.ts", "d.deep.ts"];
const KUBE = ["x.kube.ts", "y.kube.ts"];
const exhaustive = exhaustiveUnits({ sampled: ["s.test.ts"], deep: DEEP, kube: KUBE });

describe("a soak", () => {
  test("runs every file once, in turns, the long ones last", () => {
    expect([...unitsOf(parseOptions([]), exhaustive)].map(({ file }) => file)).toEqual([
      "s.test.ts",
      "x.kube.ts",
      "a.deep.ts",
      "y.kube.ts",
      "c.deep.ts",
      "d.deep.ts",
      "b/storm.deep.ts",
    ]);
  });

  test("with a time limit goes on with fresh storms, and has some in between", () => {
    const options = parseOptions(["--minutes", "30", "--seed-from", "5001"]);
    const texts = unitsOf(options, exhaustive)
      .take(10)
      .map(({ file, seeds }) => `${file.split("/").at(-1)} ${seeds?.join("-") ?? ""}`.trim());
    expect([...texts].slice(4)).toEqual([
      "storm.deep.ts 5001-5025",
      "c.deep.ts",
      "d.deep.ts",
      "storm.deep.ts",
      "swarm.deep.ts 5001-5010",
      "storm.deep.ts 5026-5050",
    ]);
  });

  test("names files of storms that exist", () => {
    const files = new Set(globSync("test/**/*.deep.ts"));
    for (const { file } of freshStorms(1).take(4)) expect(files).toContain(file);
  });

  test("says how a part of it is run again", () => {
    const [sampled, , all] = exhaustive;
    const [fresh] = freshStorms(7).take(1);
    expect([sampled, all, fresh].map((unit) => unit && commandOf(unit))).toEqual([
      "CAPSTAN_PROOFS=all npx vitest run --project unit s.test.ts",
      "CAPSTAN_PROOFS=all npx vitest run --project deep a.deep.ts",
      "CAPSTAN_SEEDS=7-31 npx vitest run --project deep test/world/azuremachinepool/storm.deep.ts",
    ]);
  });

  test.each([
    [["--minutes", "0"], "--minutes 0: expected a whole number above 0"],
    [["--minutes", "1", "--seed-from", "x"], "--seed-from x: expected a whole number above 0"],
    [["--seed-from", "5"], "--seed-from needs --minutes"],
    [["--resume", ""], "--resume needs the path of a file"],
    [["--hours", "1"], "Unknown option '--hours'"],
  ])("refuses %j", (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });
});
