import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Transport } from "@capstan/env";
import { connectWithKubeconfig } from "@capstan/runtime";

const BIN = join(import.meta.dirname, "..", "..", "packages", "cli", "bin", "capstan.mjs");

/** A running `capstan up`. */
export interface CapstanProcess {
  readonly pid: number;
  /** Everything it has printed so far. */
  output(): string;
  connect(): Promise<Transport>;
  /** Ends it as a power cut would: at once, with nothing written behind. */
  kill(): Promise<void>;
}

/** Starts `capstan up` on a data directory and a free port; `shell` comes before the command, such as a `ulimit`. */
export async function startCapstan(dataDir: string, { shell = "" } = {}): Promise<CapstanProcess> {
  const command = [process.execPath, BIN, "up", "--port", "0", "--data-dir", dataDir];
  const child = spawn("bash", ["-c", `${shell} exec "$@"`, "bash", ...command], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      output += `${line}\n`;
      if (/ready in \d+ ms/.test(line)) resolve();
    });
    void exited.then(() => reject(new Error(`capstan up ended with ${child.exitCode}:\n${output}`)));
  });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    connect: () =>
      connectWithKubeconfig({ text: readFileSync(join(dataDir, "kubeconfig"), "utf8"), origin: dataDir }),
    kill: () => killed(child, exited),
  };
}

async function killed(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.kill("SIGKILL");
  await exited;
}
