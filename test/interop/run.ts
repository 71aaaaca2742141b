/**
 * `npm run interop [-- --only NAME] [--again] [--record]`: Capstan beside the programs of others. A table that passed is not run
 * again until one of its inputs changes. Exit code 3 when Go is missing.
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ProgramMissing, programFolder } from "../go-programs.ts";
import type { Table } from "./table.ts";
import { azureProvider } from "./tables/azure-provider.ts";
import { bootstrapData } from "./tables/bootstrap-data.ts";
import { clusterctl } from "./tables/clusterctl.ts";
import { core } from "./tables/core.ts";
import { crds } from "./tables/crds.ts";
import { extension } from "./tables/extension.ts";
import { inPlace } from "./tables/in-place.ts";
import { oracle } from "./tables/oracle.ts";
import { programs } from "./tables/programs.ts";

const TABLES: readonly Table[] = [
  programs,
  oracle,
  crds,
  bootstrapData,
  clusterctl,
  core,
  azureProvider,
  inPlace,
  extension,
];
const ROOT = join(import.meta.dirname, "..", "..");
const EXIT = { failed: 1, usage: 2, noGo: 3 } as const;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    again: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});

const say = (line: string): void => console.log(line);

/** The file that says that a table passed with its inputs as they are. */
function passedFileOf({ name, inputs }: Table): string {
  const files = globSync([...inputs, "test/interop/*.ts"], { cwd: ROOT }).sort();
  const folder = programFolder(
    `interop-table-${name}`,
    files.map((file) => join(ROOT, file)),
  );
  return join(folder, "passed");
}

/** Runs a table, or says that it passed before; false if it fails. */
async function passes(table: Table): Promise<boolean> {
  const passedFile = passedFileOf(table);
  if (existsSync(passedFile) && !values.again && !values.record) {
    say(`ok    ${table.name}: passed before (${readFileSync(passedFile, "utf8")})`);
    return true;
  }
  const startedMs = performance.now();
  const { summary, problems } = await table.run({ say, isRecording: values.record });
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  say(`${problems.length === 0 ? "ok  " : "FAIL"}  ${table.name}: ${summary}, ${seconds} s`);
  for (const problem of problems) say(`      ${problem}`);
  if (problems.length > 0) return false;
  mkdirSync(join(passedFile, ".."), { recursive: true });
  writeFileSync(passedFile, summary);
  return true;
}

const unknown = values.only.filter((name) => TABLES.every((table) => table.name !== name));
if (unknown.length > 0) {
  const names = TABLES.map(({ name, about }) => `${name} (${about})`).join(", ");
  console.error(`interop: there is no table ${unknown.join(", ")}; there are ${names}`);
  process.exit(EXIT.usage);
}

try {
  const chosen = TABLES.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  let failed = 0;
  for (const table of chosen) failed += (await passes(table)) ? 0 : 1;
  say(`${chosen.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : EXIT.failed;
} catch (error) {
  if (!(error instanceof ProgramMissing)) throw error;
  console.error(`interop: ${error.message}`);
  process.exitCode = EXIT.noGo;
}
