/**
 * Changes the code of decisions and writes in small ways, and says for each change whether a test fails:
 *
 *   node tools/mutate.ts --seed 1 [--count 60] [--only 3,17] [--near]
 *
 * It works in a copy of the repository and restores each file. `--only` runs some of the drawn mutations again, `--near` only
 * the tests that are likely to catch them: a mutation that survives those has to be run without it. docs/proofs.md says how long it takes.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawMutations, mutated, type Mutation, mutationsIn, nearTests } from "./mutations.ts";

const ROOT = join(import.meta.dirname, "..");
/** The code that decides about machines and writes to Azure. */
const AREAS = [
  "packages/plan/src",
  "packages/azure/src/operations",
  "packages/manager/src/workload/drain",
  "packages/manager/src/machines",
  "packages/manager/src/reconcilers/{machine,machineset,machinedeployment,machinehealthcheck}",
];
const NOT_PRODUCT = /\.(test|fixture)\.ts$|\/index\.ts$/;
const MUST_BE_CAUGHT = 0.95;
// Near tests take seconds: one that runs on and on has been caught.
const NEAR_LIMIT_MS = 5 * 60_000;
const ALL_LIMIT_MS = 20 * 60_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "60" },
    only: { type: "string" },
    near: { type: "boolean", default: false },
  },
});

/** Copies the files that git knows, and links the installed packages: those of the workspace must be the copied ones. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "capstan-mutate-"));
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const path of stdout.split("\0").filter((one) => one !== ""))
    cpSync(join(ROOT, path), join(copy, path));
  const modules = join(copy, "node_modules");
  mkdirSync(join(modules, "@capstan"), { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (name !== "@capstan") symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  for (const name of readdirSync(join(ROOT, "packages")))
    symlinkSync(join(copy, "packages", name), join(modules, "@capstan", name));
  return copy;
}

/** How a run of tests ended; with the first test that failed. */
interface TestRun {
  readonly result: "passed" | "failed" | "hung";
  readonly failure: string;
}

/** Runs vitest in the copy until the first failure, in a process group of its own that ends with it. */
async function runTests(copy: string, args: readonly string[], limitMs: number): Promise<TestRun> {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const flags = ["--run", "--project", "unit", "--bail=1", "--reporter=dot"];
  const child = spawn(process.execPath, [vitest, ...args, ...flags], {
    cwd: copy,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  let isHung = false;
  const timer = setTimeout(() => {
    isHung = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, limitMs);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  const failure = /FAIL\s+(?:\|unit\| )?(.*)/.exec(output)?.[1] ?? "";
  return { result: isHung ? "hung" : code === 0 ? "passed" : "failed", failure };
}

interface Verdict {
  readonly isCaught: boolean;
  readonly by: string;
}

/** Near tests first, which catch most mutations in seconds; then every test that imports the file. */
async function judge(copy: string, { path }: Mutation): Promise<Verdict> {
  for (const near of nearTests(path)) {
    const { result, failure } = await runTests(copy, ["run", near], NEAR_LIMIT_MS);
    if (result !== "passed") return { isCaught: true, by: failure || `the tests of ${near} do not end` };
  }
  if (values.near) return { isCaught: false, by: "" };
  const { result, failure } = await runTests(copy, ["related", path], ALL_LIMIT_MS);
  return { isCaught: result === "failed", by: failure };
}

function shown(text: string, { start, end, replacement }: Mutation): string {
  const oneLine = (part: string): string => part.replaceAll(/\s+/g, " ").slice(0, 90);
  return `\`${oneLine(text.slice(start, end))}\` -> \`${oneLine(replacement)}\``;
}

async function run(): Promise<void> {
  const paths = globSync(
    AREAS.map((area) => `${area}/**/*.ts`),
    { cwd: ROOT },
  ).filter((one) => !NOT_PRODUCT.test(one));
  const all = paths.flatMap((path) => mutationsIn({ path, text: readFileSync(join(ROOT, path), "utf8") }));
  const drawn = drawMutations(all, { seed: values.seed, count: Number(values.count) });
  const only = values.only?.split(",").map(Number);
  console.log(`seed ${values.seed}: ${drawn.length} of ${all.length} mutations of ${paths.length} files`);
  const copy = copyRepository();
  process.once("SIGINT", () => process.exit(1));
  process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
  let caught = 0;
  let judged = 0;
  for (const [index, mutation] of drawn.entries()) {
    if (only && !only.includes(index + 1)) continue;
    const startedMs = performance.now();
    const file = join(copy, mutation.path);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, mutated(text, mutation));
    const { isCaught, by } = await judge(copy, mutation);
    writeFileSync(file, text);
    judged++;
    if (isCaught) caught++;
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    console.log(
      `${index + 1} ${isCaught ? "caught  " : "SURVIVED"} ${mutation.path}:${mutation.line} ${mutation.kind}, ${seconds} s`,
    );
    console.log(`    ${shown(text, mutation)}${by === "" ? "" : `\n    by ${by}`}`);
  }
  console.log(`${caught} of ${judged} caught`);
  process.exitCode = caught >= judged * MUST_BE_CAUGHT ? 0 : 1;
}

await run();
