import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { exportsOf, type SourceFile, undocumented, type Violation, violationsOf } from "./rules.ts";

const read = (path: string): SourceFile => ({ path, text: readFileSync(path, "utf8") });
const format = ({ path, line, message }: Violation): string => `${path}:${line} ${message}`;

const sources = globSync("packages/*/src/**/*.{ts,tsx}").filter(
  (path) => !/\.(test|deep|fixture)\.tsx?$/.test(path),
);
const indexes = sources.filter((path) => /^packages\/[^/]+\/src\/index\.ts$/.test(path));

const MOST_FILES = 20;
// One file for each kind, command, stage of a guest or built-in kind: a longer list is not harder to read.
const TABLES =
  /^packages\/(api\/src\/[^/]+|cli\/src\/commands|sim\/src\/guests|apiserver\/src\/built-in\/validation)$/;

describe("the code base", () => {
  test("has sources", () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(indexes.length).toBeGreaterThanOrEqual(4);
  });

  test("keeps the direction of imports, takes time and randomness only from env, and has no inheritance", () => {
    expect(sources.flatMap((path) => violationsOf(read(path))).map(format)).toEqual([]);
  });

  test("has at most 20 files in a folder beside its tests, except where a folder is a table", () => {
    const byFolder = Map.groupBy(sources, dirname);
    const large = [...byFolder].filter(
      ([folder, files]) => files.length > MOST_FILES && !TABLES.test(folder),
    );
    expect(large.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
    const atTop = byFolder.get("packages/manager/src/reconcilers/azuremachinepool") ?? [];
    expect(atTop.length).toBeLessThanOrEqual(8);
  });

  test("documents every symbol that a package exports", () => {
    const missing = indexes.flatMap((index) => {
      const byFile = Map.groupBy(exportsOf(read(index)), ({ from }) => normalize(join(dirname(index), from)));
      return [...byFile].flatMap(([file, entries]) =>
        undocumented(
          read(file),
          entries.map(({ name }) => name),
        ),
      );
    });
    expect(missing.map(format)).toEqual([]);
  });
});

describe("the rules", () => {
  const fixture = (name: string): string => readFileSync(join(import.meta.dirname, "fixtures", name), "utf8");

  test("refuse an import across layers with the reason", () => {
    const file = { path: "packages/apiserver/src/wrong-import.ts", text: fixture("wrong-import.ts") };
    expect(violationsOf(file).map(format)).toEqual([
      "packages/apiserver/src/wrong-import.ts:2 apiserver may not import @capstan/runtime: the server is useful alone; a client or controller inside it would tie it to one product",
    ]);
  });

  test.each([
    ["packages/plan/src/rollout/a.ts", "a", "node:crypto", "plans are pure"],
    ["packages/plan/src/rollout/forecast/a.ts", "a", "@capstan/runtime", "plans are pure"],
    [
      "packages/manager/src/reconcilers/b/a.ts",
      "isGone, Azure",
      "@capstan/azure",
      "reconcilers know Azure by its port",
    ],
  ])("refuse in %s an import of %s from %s", (path, names, imported, reason) => {
    const text = `import { ${names} } from "${imported}";\n`;
    expect(violationsOf({ path, text }).map(({ message }) => message)).toEqual([
      expect.stringContaining(reason),
    ]);
  });

  test.each([
    ["../machine/conditions.ts", "reconcilers/machine:"],
    ["../../setup/controllers.ts", "setup puts the controllers together"],
  ])("refuse that a reconciler imports %s, with the reason", (imported, reason) => {
    const path = "packages/manager/src/reconcilers/machineset/scale.ts";
    const text = `import { a } from "${imported}";\nimport { b } from "../policy-rule.ts";\nimport { c } from "./view.ts";\n`;
    const found = violationsOf({ path, text });
    expect(found.map(({ line }) => line)).toEqual([1]);
    expect(found[0]?.message).toContain(reason);
  });

  test("refuse another reconciler from a folder inside a reconciler", () => {
    const path = "packages/manager/src/reconcilers/machinedeployment/in-place/view.ts";
    const text = 'import { a } from "../../machineset/view.ts";\nimport { b } from "../view.ts";\n';
    expect(violationsOf({ path, text }).map(({ line, message }) => [line, message.split(":")[0]])).toEqual([
      [1, `${path} may not import packages/manager/src/reconcilers/machineset`],
    ]);
  });

  test("refuse waiting and input in a decision, with the reason", () => {
    const text = fixture("wrong-decision.ts");
    const found = violationsOf({ path: "packages/manager/src/reconcilers/a/decide-b.ts", text });
    expect(found.map(({ line, message }) => `${line} ${message.split(": ")[0]}`).toSorted()).toEqual([
      "11 an async function in a decision",
      "2 a decision may import only types of node:crypto",
      "3 a decision may import only types of @capstan/runtime",
      "7 a Promise in a decision",
      "7 an async function in a decision",
      "8 await in a decision",
    ]);
    expect(found[0]?.message).toContain("plan*.ts and decide*.ts are synchronous and pure");
    for (const path of ["packages/manager/src/in-place/ask.ts", "packages/cli/src/commands/plan.ts"])
      expect(violationsOf({ path, text }).filter(({ message }) => message.includes("decision"))).toEqual([]);
  });

  test("refuse the machine's clock, timers and randomness in a reconciler with the reason", () => {
    const file = { path: "packages/runtime/src/reconciler/wrong-clock.ts", text: fixture("wrong-clock.ts") };
    expect(violationsOf(file).map(({ line, message }) => `${line} ${message.split(": ")[0]}`)).toEqual([
      "2 node:timers/promises may only be imported in packages/env",
      "3 randomUUID is not allowed outside packages/env",
      "6 Date.now is not allowed outside packages/env",
      "7 new Date() without an argument is not allowed outside packages/env",
      "8 setTimeout() is not allowed outside packages/env",
      "9 Math.random is not allowed outside packages/env",
      "10 AbortSignal.timeout is not allowed outside packages/env",
    ]);
    expect(violationsOf(file).find(({ line }) => line === 6)?.message).toContain(
      "so that virtual time can replay it",
    );
  });

  test("are not confused by names that every object has", () => {
    const text = "export const a = valueOf(); toString(); const b = constructor.hasOwnProperty;\n";
    expect(violationsOf({ path: "packages/api/src/a.ts", text })).toEqual([]);
  });

  test("allow the same in env", () => {
    const file = { path: "packages/env/src/real/wrong-clock.ts", text: fixture("wrong-clock.ts") };
    expect(violationsOf(file)).toEqual([]);
  });

  test("refuse an export without a doc comment with the reason", () => {
    const file = { path: "packages/api/src/undocumented.ts", text: fixture("undocumented.ts") };
    expect(undocumented(file, ["documented", "undocumentedFunction", "Undocumented"]).map(format)).toEqual([
      "packages/api/src/undocumented.ts:5 undocumentedFunction is exported by an index.ts and has no doc comment: readers of the package see it first",
      "packages/api/src/undocumented.ts:9 Undocumented is exported by an index.ts and has no doc comment: readers of the package see it first",
    ]);
  });

  test("refuse an index without a comment about its package", () => {
    const file = { path: "packages/api/src/index.ts", text: 'export { a } from "./a.ts";\n' };
    expect(violationsOf(file).map(({ message }) => message)).toEqual([
      "an index.ts starts with a doc comment that says what the package is for",
    ]);
  });

  test("refuse a base class", () => {
    const file = {
      path: "packages/api/src/a.ts",
      text: "export class Pool extends BasePool {}\nclass Broken extends Error {}\n",
    };
    expect(violationsOf(file).map(({ line, message }) => [line, message.split(":")[0]])).toEqual([
      [1, "a class may extend nothing but Error"],
    ]);
  });

  test("refuse a package that the table of layers does not know", () => {
    const file = { path: "packages/surprise/src/a.ts", text: 'import { x } from "@capstan/env";\n' };
    expect(violationsOf(file)[0]?.message).toContain("package surprise is not in the table of layers");
  });
});
