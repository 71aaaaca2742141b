/** What `.ci/run` does after `npm ci`: every gate and every test, and one line that counts them all. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOutcome, type TestOutcome } from "./vitest-report.ts";

// The budget of all steps on two cores; longer is reported and does not fail. docs/proofs.md says what each step may take.
const BUDGET_SECONDS = 780;
// `.ci/run` says when it began: installing counts, too.
const beganMs = Number(process.env["CI_STARTED_SECONDS"] ?? Date.now() / 1000) * 1000;
const folder = mkdtempSync(join(tmpdir(), "capstan-ci-"));
const took: string[] = [];
const held: (() => void)[] = [];

/** How a step runs. */
interface StepOptions {
  /** Computes when the other step leaves a core idle, and prints its output at the end. */
  readonly isBeside?: boolean;
}

/** Runs an npm script of tests; vitest writes its counts to a file beside what it prints. */
async function tests(script: string, options: StepOptions = {}): Promise<TestOutcome> {
  const report = join(folder, `${script.replaceAll(":", "-")}.json`);
  const flags = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = await step(script, ["--", ...flags], options);
  const outcome = readOutcome(report);
  // A run that fails without a failed test (it did not start, or an error outside any test) still counts as one.
  return code !== 0 && outcome.failed === 0 ? { ...outcome, ...failure(script) } : outcome;
}

async function gate(script: string): Promise<TestOutcome> {
  return (await step(script, [], {})) === 0
    ? { passed: 1, failed: 0, failures: [] }
    : { passed: 0, ...failure(script) };
}

function failure(script: string): Omit<TestOutcome, "passed"> {
  return { failed: 1, failures: [`npm run ${script}: see its output above`] };
}

async function step(
  script: string,
  args: readonly string[],
  { isBeside = false }: StepOptions,
): Promise<number | null> {
  const startedMs = performance.now();
  console.log(
    `\n=== npm run ${script}${isBeside ? ", beside the next step; its output follows that one's" : ""}`,
  );
  const command = ["npm", "run", "--silent", script, ...args];
  const [program = "", ...rest] = isBeside ? ["nice", "-n", "15", ...command] : command;
  const child = spawn(program, rest, { stdio: ["inherit", isBeside ? "pipe" : "inherit", "inherit"] });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await once(child, "close")) as [number | null];
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  held.push(() => {
    if (isBeside) console.log(`\n=== output of npm run ${script}\n${output}`);
    console.log(`=== ${script}: exit code ${code}, ${seconds} s`);
  });
  took.push(`${script} ${seconds} s`);
  return code;
}

/** Prints what finished steps have to say, when none prints any longer. */
function release(): void {
  for (const print of held.splice(0)) print();
}

const outcomes: TestOutcome[] = [];
for (const run of [() => gate("check"), () => tests("test")]) {
  outcomes.push(await run());
  release();
}
// Tests on a real kube-apiserver mostly wait; the deep ones compute meanwhile.
outcomes.push(...(await Promise.all([tests("test:deep", { isBeside: true }), tests("test:kube")])));
release();
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
