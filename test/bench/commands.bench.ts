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
  const times = measured(Object.values(commands));
  const [base] = times;
  const goals = ["", "at most 4", "at most 8", ""];
  printTable(
    [`median of ${ROUNDS}, warm`, "CPU s", "times kubectl", "goal", "wall s"],
    Object.keys(commands).map((name, index) => {
      const { cpu = Number.NaN, wall = Number.NaN } = times[index] ?? {};
      const ratio = cpu / (base?.cpu ?? Number.NaN);
      return [name, cpu.toFixed(3), ratio.toFixed(1), goals[index] ?? "", wall.toFixed(3)];
    }),
  );
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
}

/** In seconds. */
interface Times {
  /** In user and in system mode. */
  readonly cpu: number;
  readonly wall: number;
}

/** The medians of each command; they run in turns, so that other load slows all of them down. */
function measured(commands: readonly (readonly string[])[]): readonly Times[] {
  commands.forEach(timesOf);
  const rounds = Array.from({ length: ROUNDS }, () => commands.map(timesOf));
  return commands.map((_, index) => ({
    cpu: median(rounds.map((round) => round[index]?.cpu ?? Number.NaN)),
    wall: median(rounds.map((round) => round[index]?.wall ?? Number.NaN)),
  }));
}

/** The times of one run, by the shell that waits for it. */
function timesOf(command: readonly string[]): Times {
  const script = 'TIMEFORMAT="%U %S %R"; time "$@" >/dev/null 2>/dev/null';
  const printed = execFileSync("bash", ["-c", `{ ${script}; } 2>&1`, "bash", ...command], {
    env,
    encoding: "utf8",
  });
  const [user = 0, system = 0, wall = 0] = printed.trim().split(" ").map(Number);
  return { cpu: user + system, wall };
}
