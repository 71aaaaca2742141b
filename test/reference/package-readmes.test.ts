import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { format } from "node:util";
import { describe, expect, test, vi } from "vitest";

const packages = globSync("packages/*/package.json").map(dirname).sort();
// Inside the repository, so that the names of packages resolve, and ignored by git.
const FOLDER = join(import.meta.dirname, "../../.cache/readmes");

describe.each(packages)("%s", (folder) => {
  const readme = readFileSync(join(folder, "README.md"), "utf8");

  test("has a manifest that says what it is", () => {
    const { description } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      description?: string;
    };
    expect(description).toMatch(/^[A-Z].{20,}[^.]$/);
  });

  test("has a README with five files to read first", () => {
    const files = [...readme.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): ./gm)].map(([, , path = ""]) => path);
    expect(files).toHaveLength(5);
    expect(files.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  test("has a README whose code prints what it shows", async () => {
    const [, code = "", shown] = /```ts\n([^]*?)```\n\nIt prints:\n\n```\n([^]*?)```/.exec(readme) ?? [];
    expect(code.split("\n").length).toBeLessThan(32);
    mkdirSync(FOLDER, { recursive: true });
    const file = join(FOLDER, `${folder.replaceAll("/", "-")}.ts`);
    writeFileSync(file, code);
    const printed: string[] = [];
    const log = vi
      .spyOn(console, "log")
      .mockImplementation((...values) => void printed.push(format(...values)));
    try {
      await import(file);
    } finally {
      log.mockRestore();
    }
    expect(`${printed.join("\n")}\n`).toBe(shown);
  });
});
