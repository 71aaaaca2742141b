/** What `.ci/run` does after `npm ci`: every gate and every test, and one line that counts them all. */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOutcome, type TestOutcome } from "./vitest-report.ts";

// The budget of all steps on two cores; longer is reported and does not fail. docs/proofs.md says what each step may take.
const BUDGET_SECONDS = 660;
// `.ci/run` says when it began: installing counts, too.
const beganMs = Number(process.env["CI_STARTED_SECONDS"] ?? Date.now() / 1000) * 1000;
const folder = mkdtempSync(join(tmpdir(), "capstan-ci-"));
const took: string[] = [];

/** Runs an npm script of tests; vitest writes its counts to a file beside what it prints. */
function tests(script: string): TestOutcome {
  const report = join(folder, `${script.replaceAll(":", "-")}.json`);
  const flags = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = stage(script, ["--", ...flags]);
  const outcome = readOutcome(report);
  // A run that fails without a failed test (it did not start, or an error outside any test) still counts as one.
  return status !== 0 && outcome.failed === 0 ? { ...outcome, ...failure(script) } : outcome;
}

function gate(script: string): TestOutcome {
  return stage(script, []).status === 0
    ? { passed: 1, failed: 0, failures: [] }
    : { passed: 0, ...failure(script) };
}

function failure(script: string): Omit<TestOutcome, "passed"> {
  return { failed: 1, failures: [`npm run ${script}: see its output above`] };
}

function stage(script: string, args: readonly string[]): { status: number | null } {
  const startedMs = performance.now();
  console.log(`\n=== npm run ${script}`);
  const result = spawnSync("npm", ["run", "--silent", script, ...args], { stdio: "inherit" });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  console.log(`=== ${script}: exit code ${result.status}, ${seconds} s`);
  took.push(`${script} ${seconds} s`);
  return result;
}

const outcomes = [gate("check"), tests("test"), tests("test:deep"), tests("test:kube")];
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
const failures = outcomes.flatMap((outcome) => outcome.failures);
// Last, because people read the end of a log first, and a truncated log has lost its beginning.
console.log(`\n${took.join(", ")}`);
for (const text of failures) console.log(`\nFAILED ${text}`);
const seconds = ((Date.now() - beganMs) / 1000).toFixed(0);
console.log(`\ntook ${seconds} s of ${BUDGET_SECONDS}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
