import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { createRealEnv } from "@capstan/env";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runsAll } from "../sample.ts";
import { BASH_FLAGS } from "./bash.ts";
import { capstan, killAll, launch, READY, type Running } from "./capstan.ts";
import { findKubectls } from "./kubectls.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const LIMIT_MS = 100_000;
const SPEED = 120;
// A deletion takes half a second then, and ten minutes are a quarter of one.
const SLOW = 40;

/** In a soak only: the gate has a smoke of the journey. */
const longTest = test.runIf(runsAll);

// The pages are read by somebody who stands in the root of the repository: so does whoever runs them, but for the data.
const root = mkdtempSync(join(tmpdir(), "capstan-pools-"));
const dataDir = join(root, ".capstan");
const { clock } = createRealEnv();
let running: Running;

beforeAll(async () => {
  const [kubectl] = findKubectls();
  mkdirSync(join(root, "bin"));
  symlinkSync(kubectl?.program ?? "", join(root, "bin/kubectl"));
  for (const name of ["examples", "node_modules"]) symlinkSync(join(REPOSITORY, name), join(root, name));
  await up("--speed", String(SPEED));
});
afterAll(() => {
  killAll();
  rmSync(root, { recursive: true, force: true });
});

async function up(...args: string[]): Promise<void> {
  running = launch(["up", "--port", "0", "--data-dir", dataDir, ...args]);
  await running.until(READY);
}

/** Runs a script as a user would who has kubectl and stands in the root of the repository. */
async function shell(script: string): Promise<string> {
  const env = {
    ...process.env,
    PATH: [join(root, "bin"), join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    KUBECONFIG: join(dataDir, "kubeconfig"),
    HOME: root,
  };
  const options = { cwd: root, env, timeout: LIMIT_MS };
  const args = [...BASH_FLAGS, "-euo", "pipefail", "-c", script];
  const { stdout, stderr } = await promisify(execFile)("bash", args, options);
  return stdout + stderr;
}

/** The commands of a page. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join(REPOSITORY, "docs/how-to", page), "utf8");
  return [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block);
}

/** Runs the commands of a page, from one of its blocks to another. */
const runPage = (page: string, from = 0, to?: number): Promise<string> =>
  shell(commandsOf(page).slice(from, to).join("\n"));

/** Changes how fast time goes: slow enough to see something, or fast enough not to wait for it. */
const speed = (factor: number): Promise<string> => shell(`npx capstan sim clock speed ${factor}`);

/** Ids of instances in Azure, as the machines have them. */
async function instances(): Promise<readonly number[]> {
  const ids = await shell("kubectl get ampm -o jsonpath='{.items[*].spec.instanceID}'");
  return ids
    .split(" ")
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** Asks until the answer is right, as somebody with kubectl would. */
async function eventually(ask: () => Promise<string>, pattern: RegExp): Promise<string> {
  const deadlineMs = clock.monotonic() + LIMIT_MS;
  for (;;) {
    const answer = await ask();
    if (pattern.test(answer)) return answer;
    if (clock.monotonic() > deadlineMs) throw new Error(`it never was ${pattern}: ${answer}`);
    await clock.sleep(50);
  }
}

interface Request {
  readonly sequence: number;
  readonly method: string;
  readonly operation: string;
  readonly status: number;
}

/** What was asked of Azure about scale sets, without looks. */
async function writes(): Promise<readonly Request[]> {
  const { out } = await capstan("sim", "journal", "--data-dir", dataDir, "--limit", "10000", "-o", "json");
  return (JSON.parse(out) as Request[]).filter(
    ({ method, operation }) => method !== "GET" && operation.includes("virtualMachineScaleSets"),
  );
}

const ROLLED_OUT = /^AzureMachinePool default\/workers is rolled out: 3 of 3 up to date and available$/m;

describe("a pool of machines, by the pages of docs/how-to", () => {
  test("upgrade-a-pool.md makes three nodes and replaces them by three of another version", async () => {
    const [start, ...blocks] = commandsOf("upgrade-a-pool.md");
    expect(start).toBe("npx capstan up --speed 60\n");
    const [make = "", ...upgrade] = blocks;
    const made = await shell(make);
    expect(made).toMatch(ROLLED_OUT);
    expect(made).toMatch(/(^workers00000\d +Ready +<none> +\S+ +v1\.33\.5$\n?){3}/m);
    expect(made).toMatch(/(^workers-\d +v1\.33\.5 +true +Succeeded .*\n){3}/m);
    expect(made).toMatch(/MachinePool\/workers +3 +3 +3 +True/);
    expect(await shell("kubectl get mp workers -o jsonpath='{.status.phase}'")).toBe("Running");
    expect(await instances()).toEqual([0, 1, 2]);
    const out = await shell(upgrade.join("\n"));
    expect(out).toMatch(ROLLED_OUT);
    expect(out).toMatch(/workers-0: 1 machine with model .*; 4 available, at least 3 must stay available/);
    expect(await instances()).toEqual([3, 4, 5]);
    const nodes = await shell("kubectl --kubeconfig quay.kubeconfig get nodes");
    expect(nodes).toMatch(/(^workers\S+ +Ready .* v1\.34\.1\n){3}/m);
  });

  test("scale-a-pool.md grows the pool, and shrinks it by the machine that was marked first", async () => {
    const out = await runPage("scale-a-pool.md");
    expect(out).toContain("is rolled out: 5 of 5 up to date and available");
    expect(out).toMatch(ROLLED_OUT);
    const ids = await instances();
    expect(ids).toHaveLength(3);
    expect(ids).not.toContain(Number(/workers-(\d+) annotated/.exec(out)?.[1]));
  });

  test("replace-a-machine.md takes the machine away that was deleted or marked, and makes another", async () => {
    const before = await instances();
    const out = await runPage("replace-a-machine.md");
    expect(out).toMatch(/Draining +azuremachinepoolmachine\/workers-/);
    expect(out).toMatch(/Drained +azuremachinepoolmachine\/workers-/);
    const after = await instances();
    expect(after).toHaveLength(3);
    expect(after.filter((id) => before.includes(id))).toHaveLength(1);
  });

  test("update-in-place.md updates the very instances, which keep what users gave their nodes", async () => {
    const before = await instances();
    const out = await runPage("update-in-place.md");
    expect(await instances()).toEqual(before);
    const nodes = [...out.matchAll(/^(workers\S+) +(v\S+) +(\S+) +gold$/gm)];
    expect(nodes.map(([, , version]) => version)).toEqual([...ofEach("v1.34.1"), ...ofEach("v1.33.5")]);
    expect(new Set(nodes.map(([, name]) => name)).size).toBe(3);
    expect(new Set(nodes.map(([, , , boot]) => boot)).size).toBe(6);
    expect(out.match(/virtualMachineScaleSets\/manualupgrade +202/g)).toHaveLength(3);
  });

  longTest(
    "drain.md shows a budget that holds a machine, lifts it, and waits no longer than allowed",
    async () => {
      await speed(SLOW);
      const out = await runPage("drain.md", 0, -1);
      const held =
        /pod default\/web-\S+ is not evicted: PodDisruptionBudget default\/web allows no disruption now/;
      for (const line of [/^workers-\d+, DrainBlocked: .*/m, /Warning +DrainBlocked +azuremachine.*/]) {
        expect(line.exec(out)?.[0]).toMatch(held);
      }
      expect(out).toMatch(/!! DELETED !! AzureMachinePoolMachine\/workers-\d+ +False +Warning +DrainBlocked/);
      expect(out).toMatch(ROLLED_OUT);
      await speed(SPEED);
      const limited = await runPage("drain.md", -1);
      expect(limited).toMatch(
        /DrainTimedOut .* was not drained within 600 s and is deleted with pods? default\/web-/,
      );
      expect(limited).toMatch(ROLLED_OUT);
    },
  );
});

const ofEach = (version: string): readonly string[] => [version, version, version];

describe("capstan up", () => {
  longTest("finishes a rollout that kill -9 cut in the middle of a PUT, and repeats no PUT", async () => {
    const before = await instances();
    const seen = (await writes()).length;
    await speed(SLOW);
    await shell(`
      kubectl patch amp workers --type merge \\
        -p '{"spec":{"strategy":{"rollingUpdate":{"instanceUpdate":"Replace","maxSurge":1,"maxUnavailable":0}}}}'
      kubectl patch mp workers --type merge -p '{"spec":{"template":{"spec":{"version":"v1.34.1"}}}}'
    `);
    const operation =
      "kubectl get amp workers -o jsonpath='{.status.operation.verb} {.status.operation.url}'";
    await eventually(() => shell(operation), /^PUT https:/);
    await killAndRestart();
    // The second time in the middle of a deletion.
    const posts = "kubectl get amp workers -o jsonpath='{.status.instanceOperations[*].url}'";
    await eventually(() => shell(posts), /^https:/);
    await killAndRestart();
    await speed(SPEED);
    expect(await shell("npx capstan rollout status workers")).toMatch(ROLLED_OUT);
    expect((await instances()).filter((id) => before.includes(id))).toEqual([]);
    const asked = (await writes()).slice(seen);
    expect(asked.filter(({ status }) => status >= 300)).toEqual([]);
    expect(asked.map(({ method }) => method).toSorted()).toEqual([...ofEach("POST"), ...ofEach("PUT")]);
  });

  test("leaves nothing in Azure when the cluster goes", async () => {
    await shell("kubectl delete cluster quay --timeout=90s");
    const { out } = await capstan("sim", "status", "--data-dir", dataDir, "-o", "json");
    expect((JSON.parse(out) as { resources: unknown[] }).resources).toEqual([]);
    expect(await shell("kubectl get mp,amp,ampm,kubeadmconfigs,azureclusters")).toBe(
      "No resources found in default namespace.\n",
    );
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0, err: "" });
  });

  async function killAndRestart(): Promise<void> {
    running.child.kill("SIGKILL");
    await running.ended;
    await up();
  }
});
