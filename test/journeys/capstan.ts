import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { BASH_FLAGS } from "./bash.ts";

const BIN = join(import.meta.dirname, "../../packages/cli/bin/capstan.mjs");
const children = new Set<ChildProcess>();

/** What `capstan up` prints when it is ready. */
export const READY = /^ready in \d+ ms$/m;

/** Ends all running programs after a test. */
export function killAll(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** A running capstan: its output so far, and a way to wait for more. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves with all output when a part of it matches. */
  until(pattern: RegExp): Promise<string>;
  readonly ended: Promise<Ended>;
}

/** How it ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

/** Starts the real program. */
export function launch(
  args: readonly string[],
  {
    program = BIN,
    nodeArgs = [],
    shell = "",
  }: {
    /** Another form of it, such as the bundle. */
    readonly program?: string;
    readonly nodeArgs?: readonly string[];
    /** Comes before the program, such as a `ulimit`. */
    readonly shell?: string;
  } = {},
): Running {
  const command = [process.execPath, ...nodeArgs, program, ...args];
  // The shell replaces itself with the program, so the right process is killed.
  const child = spawn("bash", [...BASH_FLAGS, "-c", `${shell} exec "$@"`, "bash", ...command], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  let [out, err] = ["", ""];
  const listeners = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
    for (const listener of listeners) listener();
  });
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, "close").then(([code, signal]) => {
    children.delete(child);
    return { code: code as number | null, signal: signal as string | null, out, err };
  });
  const until = async (pattern: RegExp): Promise<string> => {
    const seen = new Promise<string>((resolve) => {
      const look = (): void => {
        if (!pattern.test(out)) return;
        listeners.delete(look);
        resolve(out);
      };
      listeners.add(look);
      look();
    });
    const early = ended.then((end) => {
      throw new Error(`capstan ended before it printed ${pattern}: ${JSON.stringify(end)}`);
    });
    return Promise.race([seen, early]);
  };
  return { child, until, ended };
}

/** Runs a command to its end. */
export const capstan = async (...args: string[]): Promise<Ended> => launch(args).ended;
