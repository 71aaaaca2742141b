/** `npm run test:kube`: the tests that need a real kube-apiserver. Exit code 3 when there is none to be had. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ProgramMissing } from "../go-programs.ts";
import { kubeAssets } from "./assets.ts";

const MISSING = 3;

try {
  kubeAssets((line) => console.log(line));
} catch (error) {
  if (!(error instanceof ProgramMissing)) throw error;
  console.error(`test:kube: ${error.message}`);
  process.exit(MISSING);
}
const vitest = join(import.meta.dirname, "..", "..", "node_modules", "vitest", "vitest.mjs");
// Each file has servers, ports and folders of its own, and waits for them most of the time: two files share two cores.
const flags = ["run", "--project", "kube", "--maxWorkers=2", ...process.argv.slice(2)];
const run = spawnSync(process.execPath, [vitest, ...flags], { stdio: "inherit" });
process.exit(run.status ?? 1);
