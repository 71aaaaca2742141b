/**
 * `npm run soak [-- --minutes N] [--seed-from S] [--resume FILE]`: every proof in full, two files at a time, and with a time limit
 * storms of fresh seeds until it is over. Ends with what ran, what did not, and how to replay what failed. Files that pass are written
 * to FILE at once, and a later run of the same commit goes on after them. docs/proofs.md says when to run it.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, globSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOutcome, type TestOutcome } from "../../tools/vitest-report.ts";
import { ProgramMissing } from "../go-programs.ts";
import { kubeAssets } from "../kube/assets.ts";
import {
  commandOf,
  exhaustiveUnits,
  parseOptions,
  type SoakOptions,
  type Unit,
  unitsOf,
  variablesOf,
} from "./plan.ts";
import { checkProgress, passedBefore, passedLine } from "./progress.ts";
import { summaryOf, type UnitResult } from "./summary.ts";

const LANES = [0, 1];
const EXIT = { failed: 1, usage: 2, noAssets: 3 } as const;
const VITEST = join(import.meta.dirname, "..", "..", "node_modules", "vitest", "vitest.mjs");

const folder = mkdtempSync(join(tmpdir(), "capstan-soak-"));
const running = new Set<ChildProcess>();
const results: UnitResult[] = [];
let isOver = false;

/** Runs one unit in a process group of its own, which is ended as a whole: servers that its tests started go with it. */
async function runUnit(unit: Unit, lane: number): Promise<UnitResult> {
  const startedMs = performance.now();
  const name = `${results.length + running.size}-${lane}`;
  const report = join(folder, `${name}.json`);
  const output = join(folder, `${name}.log`);
  const log = openSync(output, "w");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const args = [VITEST, "run", "--project", unit.project, "--maxWorkers=1", ...reporters, unit.file];
  const env = {
    ...process.env,
    ...variablesOf(unit),
    CAPSTAN_LANE: String(lane),
    TMPDIR: folder,
    NO_COLOR: "1",
  };
  const child = spawn(process.execPath, args, { stdio: ["ignore", log, log], detached: true, env });
  running.add(child);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  running.delete(child);
  const seconds = (performance.now() - startedMs) / 1000;
  const outcome = outcomeOf(unit, { code, report });
  const text = readFileSync(output, "utf8");
  const samples = [...text.matchAll(/^sample: (.*)$/gm)].map(([, sample = ""]) => sample);
  const result: UnitResult = { unit, seconds, outcome, samples, isCut: isOver && code !== 0 };
  results.push(result);
  const state = result.isCut ? "cut " : outcome.failed === 0 ? "ok  " : "FAIL";
  console.log(`${state}  ${seconds.toFixed(0).padStart(4)} s  ${commandOf(unit)}`);
  if (state === "FAIL") console.log(text.split("\n").slice(-OUTPUT_LINES).join("\n"));
  return result;
}

const OUTPUT_LINES = 60;

/** A run that fails without a failed test still counts as one: it did not start, or an error was outside any test. */
function outcomeOf(unit: Unit, { code, report }: { code: number | null; report: string }): TestOutcome {
  const outcome = readOutcome(report);
  if (code === 0 || outcome.failed > 0) return outcome;
  return { ...outcome, failed: 1, failures: [`${unit.file}: vitest ended with ${String(code)}`] };
}

/** The commit whose proofs run; changes that are not committed do not count. */
function commitOf(): string {
  return spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).stdout.trim();
}

/** What earlier runs have written; a file that does not exist is created by this run. */
function progressIn(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function end(): void {
  isOver = true;
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGKILL");
}

function takesSamples(path: string): boolean {
  return /from "[./]+\/sample\.ts"/.test(readFileSync(path, "utf8"));
}

async function soak(options: SoakOptions): Promise<void> {
  const { minutes } = options;
  const exhaustive = exhaustiveUnits({
    sampled: globSync("test/**/*.test.ts").filter(takesSamples).sort(),
    deep: globSync(["packages/*/src/**/*.deep.ts", "test/**/*.deep.ts"]).sort(),
    kube: globSync("test/**/*.kube.ts").sort(),
  });
  const { resume } = options;
  const commit = commitOf();
  const earlier = resume === undefined ? [] : passedBefore(progressIn(resume), { exhaustive, commit });
  if (resume !== undefined)
    console.log(`${resume}: ${earlier.length} of ${exhaustive.length} files have passed`);
  const startedMs = performance.now();
  const timer = minutes === undefined ? undefined : setTimeout(end, minutes * 60_000);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  const units = unitsOf(
    options,
    exhaustive.filter((unit) => !earlier.includes(unit)),
  );
  const lane = async (number: number): Promise<void> => {
    for (const unit of units) {
      const { outcome, isCut } = await runUnit(unit, number);
      const line = outcome.failed > 0 || isCut ? undefined : passedLine(unit, commit);
      if (resume !== undefined && line !== undefined) appendFileSync(resume, line);
      if (isOver) return;
    }
  };
  await Promise.all(LANES.map(lane));
  clearTimeout(timer);
  const { text, failed } = summaryOf(
    { exhaustive, earlier },
    results,
    (performance.now() - startedMs) / 1000,
  );
  console.log(text);
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = failed === 0 ? 0 : EXIT.failed;
}

function optionsOrExit(): SoakOptions {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options.resume !== undefined) checkProgress(options.resume, progressIn(options.resume));
    kubeAssets((line) => console.log(line));
    return options;
  } catch (error) {
    console.error(`soak: ${(error as Error).message}`);
    return process.exit(error instanceof ProgramMissing ? EXIT.noAssets : EXIT.usage);
  }
}

await soak(optionsOrExit());
