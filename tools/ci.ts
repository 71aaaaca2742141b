/** What `.ci/run` does after `npm ci`: every gate and every test, and one line that counts them all. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

interface StageResult {
  readonly passed: number;
  readonly failed: number;
  /** One text per failure: which test, and what it saw. */
  readonly failures: readonly string[];
}

/** What vitest's JSON reporter writes, as far as it is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

const FAILURE_LINES = 25;
// The budget of all steps on two cores; longer is reported and does not fail. docs/proofs.md says what each step may take.
const BUDGET_SECONDS = 660;
const startedMs = performance.now();
const folder = mkdtempSync(join(tmpdir(), "capstan-ci-"));
const took: string[] = [];

/** Runs an npm script of tests; vitest writes its counts to a file beside what it prints. */
function tests(script: string): StageResult {
  const report = join(folder, `${script.replaceAll(":", "-")}.json`);
  const flags = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = stage(script, ["--", ...flags]);
  const outcome = existsSync(report)
    ? readOutcome(JSON.parse(readFileSync(report, "utf8")) as Report)
    : { passed: 0, failed: 0, failures: [] };
  // A run that fails without a failed test (it did not start, or an error outside any test) still counts as one.
  return status !== 0 && outcome.failed === 0 ? { ...outcome, ...failure(script) } : outcome;
}

function readOutcome({ numPassedTests, numFailedTests, testResults }: Report): StageResult {
  const failures = testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(process.cwd(), name);
      const failed = assertionResults.filter(({ status }) => status === "failed");
      // A file that does not load has no tests, only a message.
      if (failed.length === 0) return [`${file}\n${excerpt(message)}`];
      return failed.map(
        ({ fullName, failureMessages }) =>
          `${file} > ${fullName}\n${excerpt((failureMessages ?? []).join("\n"))}`,
      );
    });
  return { passed: numPassedTests, failed: numFailedTests, failures };
}

function excerpt(text: string): string {
  const lines = text.split("\n");
  const rest = lines.length - FAILURE_LINES;
  return [...lines.slice(0, FAILURE_LINES), ...(rest > 0 ? [`… ${rest} more lines above`] : [])]
    .map((line) => `    ${line}`)
    .join("\n");
}

function gate(script: string): StageResult {
  return stage(script, []).status === 0
    ? { passed: 1, failed: 0, failures: [] }
    : { passed: 0, ...failure(script) };
}

function failure(script: string): Omit<StageResult, "passed"> {
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
// Last, because whoever reads a log reads its end first, and a log that was cut lost its beginning.
console.log(`\n${took.join(", ")}`);
for (const text of failures) console.log(`\nFAILED ${text}`);
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
console.log(`\ntook ${seconds} s of ${BUDGET_SECONDS}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
