/**
 * `npm run bench -- commands`: the processor time of a command beside kubectl's, with `capstan up` on the same machine. It needs
 * kubectl and bash.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findKubectls } from "../journeys/kubectls.ts";
import { median, printTable } from "./table.ts";

const ROUNDS = 20;
const SOURCES = "packages/cli/bin/capstan.mjs";

const folder = mkdtempSync(join(tmpdir(), "capstan-commands-"));
const env = { ...process.env, KUBECONFIG: join(folder, "data/kubeconfig") };
const [kubectl] = findKubectls();
if (!kubectl) throw new Error("there is no kubectl on the PATH");
execFileSync(process.execPath, ["tools/bundle.ts", join(folder, "dist")]);
const bundle = join(folder, "dist/capstan.mjs");
const server = spawn(process.execPath, [SOURCES, "up", "--port", "0", "--data-dir", join(folder, "data")], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  for await (const text of server.stdout.setEncoding("utf8")) if (String(text).includes("ready in")) break;
  const commands = {
    "kubectl get clusters": [kubectl.program, "get", "clusters"],
    "capstan get clusters, bundled": [process.execPath, bundle, "get", "clusters"],
    "capstan get clusters, from sources": [process.execPath, SOURCES, "get", "clusters"],
    "capstan --version, bundled": [process.execPath, bundle, "--version"],
  };
  const seconds = measured(Object.values(commands));
  const [base = Number.NaN] = seconds;
  const goals = ["", "at most 4", "at most 8", ""];
  printTable(
    [`median of ${ROUNDS}, warm`, "CPU s", "times kubectl", "goal"],
    Object.keys(commands).map((name, index) => {
      const took = seconds[index] ?? Number.NaN;
      return [name, took.toFixed(3), (took / base).toFixed(1), goals[index] ?? ""];
    }),
  );
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
}

/** The median of each command; they run in turns, so that other load slows all of them down. */
function measured(commands: readonly (readonly string[])[]): readonly number[] {
  commands.forEach(cpuSeconds);
  const rounds = Array.from({ length: ROUNDS }, () => commands.map(cpuSeconds));
  return commands.map((_, index) => median(rounds.map((round) => round[index] ?? Number.NaN)));
}

/** User and system time of one run, by the shell that waits for it. */
function cpuSeconds(command: readonly string[]): number {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>/dev/null';
  const printed = execFileSync("bash", ["-c", `{ ${script}; } 2>&1`, "bash", ...command], {
    env,
    encoding: "utf8",
  });
  return printed
    .trim()
    .split(" ")
    .map(Number)
    .reduce((sum, one) => sum + one, 0);
}
