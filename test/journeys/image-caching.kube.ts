import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BASH_FLAGS } from "./bash.ts";
import { killAll, launch, READY } from "./capstan.ts";
import { findKubectls } from "./kubectls.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
const LIMIT_MS = 100_000;

const root = mkdtempSync(join(tmpdir(), "capstan-images-"));
const dataDir = join(root, ".capstan");

beforeAll(async () => {
  const [kubectl] = findKubectls();
  mkdirSync(join(root, "bin"));
  symlinkSync(kubectl?.program ?? "", join(root, "bin/kubectl"));
  for (const name of ["examples", "node_modules"]) symlinkSync(join(REPOSITORY, name), join(root, name));
  const gates = ["--feature-gates", "NodePrototyping=true"];
  const running = launch(["up", "--port", "0", "--data-dir", dataDir, "--speed", "600", ...gates]);
  await running.until(READY);
});
afterAll(() => {
  killAll();
  rmSync(root, { recursive: true, force: true });
});

/** Runs a script as a user would who has kubectl and stands in the root of the repository. */
async function shell(script: string): Promise<string> {
  const env = {
    ...process.env,
    PATH: [join(root, "bin"), join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    KUBECONFIG: join(dataDir, "kubeconfig"),
    HOME: root,
  };
  const args = [...BASH_FLAGS, "-euo", "pipefail", "-c", script];
  const { stdout, stderr } = await promisify(execFile)("bash", args, { cwd: root, env, timeout: LIMIT_MS });
  return stdout + stderr;
}

/** The blocks of commands of the page. */
function blocks(): readonly string[] {
  const text = readFileSync(join(REPOSITORY, "docs/how-to/cache-node-images.md"), "utf8");
  return [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block);
}

test(
  "the page: a pool gets an image of its own, and a new node starts from it",
  async () => {
    const [turnOn = "", scaleOut = "", renew = ""] = blocks();
    const status = await shell(turnOn);
    expect(status).toMatch(/last renewal +20\d\d-/);
    expect(status).toMatch(/Active +20\d\d-\S+ +mole-workers-0/);
    const scaled = await shell(scaleOut);
    expect(scaled).toMatch(/4 of 4 up to date and available/);
    const version = /^(\d+\.\d+\.\d+) +Active/m.exec(status)?.[1] ?? "";
    expect(scaled).toMatch(new RegExp(`mole-workers-3 +${version.replaceAll(".", String.raw`\.`)}`));
    expect(scaled).toMatch(/mole-workers-0 +1\.33\.5/);
    const renewed = await shell(renew);
    expect(renewed).toMatch(/a renewal is asked for/);
    expect(renewed).toMatch(/default +mole-workers +1h/);
  },
  LIMIT_MS,
);
