/** `npm run generate`: writes every generated file; with `--check` it only lists those that are out of date. */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { architectureDocument } from "./generate-architecture.ts";
import { configFiles } from "./generate-config.ts";
import { assumptionsPage } from "./generate-assumptions.ts";
import { crdFiles } from "./generate-crds.ts";
import { referencePages } from "./generate-reference.ts";
import { REASONS } from "../packages/manager/src/reasons/reasons.ts";
import { readReasonSources } from "./reason-sources.ts";
import { reasonProblems } from "./reasons-page.ts";

const CRD_FOLDER = "packages/api/crds";
const CONFIG_FOLDER = "config";
const REFERENCE_FOLDER = "docs/reference";

const sources = readReasonSources();
const problems = reasonProblems(sources, REASONS);
if (problems.length > 0) {
  for (const problem of problems) console.log(problem);
  process.exit(1);
}

const desired = new Map([
  ...crdFiles(CRD_FOLDER),
  ...configFiles(CONFIG_FOLDER, CRD_FOLDER),
  ...(await referencePages(REFERENCE_FOLDER, sources)),
  architectureDocument("ARCHITECTURE.md"),
  assumptionsPage("docs/azure-assumptions.md"),
]);
const stale = globSync([
  `${REFERENCE_FOLDER}/kinds/*`,
  `${CRD_FOLDER}/*`,
  `${CONFIG_FOLDER}/{crd,rbac,manager,webhook}/*`,
]).filter((path) => !desired.has(path));
const outdated = [...desired]
  .filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text)
  .map(([path]) => path);

if (process.argv.includes("--check")) {
  for (const path of outdated) console.log(`${path} is out of date; run npm run generate`);
  for (const path of stale) console.log(`${path} is not generated any more; run npm run generate`);
  process.exitCode = outdated.length + stale.length === 0 ? 0 : 1;
} else {
  for (const path of stale) rmSync(path);
  for (const path of outdated) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, desired.get(path) ?? "");
    console.log(`wrote ${path}`);
  }
}
