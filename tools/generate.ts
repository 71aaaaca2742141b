/** `npm run generate`: writes every generated file; with `--check` it only says which ones are out of date. */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { architectureDocument } from "./generate-architecture.ts";
import { crdFiles } from "./generate-crds.ts";

const CRD_FOLDER = "packages/api/crds";

const wanted = new Map([...crdFiles(CRD_FOLDER), architectureDocument("ARCHITECTURE.md")]);
const stale = globSync(`${CRD_FOLDER}/*`).filter((path) => !wanted.has(path));
const outdated = [...wanted]
  .filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text)
  .map(([path]) => path);

if (process.argv.includes("--check")) {
  for (const path of outdated) console.log(`${path} is out of date; run npm run generate`);
  for (const path of stale) console.log(`${path} belongs to no kind any more; run npm run generate`);
  process.exitCode = outdated.length + stale.length === 0 ? 0 : 1;
} else {
  for (const path of stale) rmSync(path);
  for (const path of outdated) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, wanted.get(path) ?? "");
    console.log(`wrote ${path}`);
  }
}
