/** What `.ci/run` does after `npm ci`: every gate and every test, and one line that counts them all. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const folder = mkdtempSync(join(tmpdir(), "capstan-ci-"));

/** Runs an npm script of tests; vitest writes its counts to a file beside what it prints. */
function tests(script: string): Counts {
  const report = join(folder, `${script.replaceAll(":", "-")}.json`);
  const flags = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = stage(script, ["--", ...flags]);
  const counts = existsSync(report) ? readCounts(report) : { passed: 0, failed: 0 };
  // A run that fails without a failed test (it did not start, or an error outside any test) still counts as one.
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function readCounts(report: string): Counts {
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8")) as Record<
    string,
    number
  >;
  return { passed: numPassedTests ?? 0, failed: numFailedTests ?? 0 };
}

function gate(script: string): Counts {
  return stage(script, []).status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function stage(script: string, args: readonly string[]): { status: number | null } {
  const startedMs = performance.now();
  console.log(`\n=== npm run ${script}`);
  const result = spawnSync("npm", ["run", "--silent", script, ...args], { stdio: "inherit" });
  console.log(
    `=== ${script}: exit code ${result.status}, ${((performance.now() - startedMs) / 1000).toFixed(0)} s`,
  );
  return result;
}

const results = [gate("check"), tests("test"), tests("test:deep"), tests("test:kube")];
const passed = results.reduce((sum, counts) => sum + counts.passed, 0);
const failed = results.reduce((sum, counts) => sum + counts.failed, 0);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
