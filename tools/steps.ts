import { spawn } from "node:child_process";

/** A command that is one step of a larger check. */
export interface Step {
  readonly name: string;
  /** A program of `node_modules/.bin`, or `node` itself, with its arguments. */
  readonly command: readonly [string, ...string[]];
}

/** The result of a step. */
export interface StepResult {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** Runs a step and captures its output. */
export function runStep({ name, command: [program, ...args] }: Step): Promise<StepResult> {
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    const end = (ok: boolean, extra = ""): void =>
      resolve({
        name,
        ok,
        seconds: (performance.now() - startedMs) / 1000,
        output: Buffer.concat(chunks).toString() + extra,
      });
    child.on("error", (error) => end(false, `${program}: ${error.message}`));
    child.on("close", (code) => end(code === 0));
  });
}
