import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readPage, REPOSITORY } from "../journeys/shown-commands.ts";

/** The files that the page shows, by their names. */
function filesOf(page: string): Readonly<Record<string, string>> {
  const shown = readPage(page).matchAll(/`([\w.]+\.mts)`[^\n]*:\n\n```ts\n(.*?)```/gs);
  return Object.fromEntries([...shown].map(([, name = "", text = ""]) => [name, text]));
}

test("the updater of the page runs, and so does its test", async () => {
  const files = filesOf("docs/how-to/write-an-updater.md");
  expect(Object.keys(files)).toEqual(["resizer.mts", "main.mts", "resizer.test.mts"]);
  const folder = mkdtempSync(join(tmpdir(), "updater-page-"));
  try {
    symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, args, { cwd: folder });
    const [tested, help] = await Promise.all([run("resizer.test.mts"), run("main.mts", "--help")]);
    expect(tested.stderr).toBe("");
    expect(help.stdout).toMatch(/^usage:\n {2}serve --tls-folder FOLDER/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
