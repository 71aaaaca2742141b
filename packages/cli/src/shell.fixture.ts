import { createRealEnv, type Env } from "@capstan/env";
import { CLEARED, type Shell } from "./shell.ts";

/** A shell without a process: it keeps what was written, and records what would end a process. */
export interface TestShell extends Shell {
  /** What was written to standard output and to standard error. */
  readonly written: { out: string; err: string };
  readonly terminated: number[];
  /** Presses Ctrl-C. */
  interrupt(): void;
}

/** Creates one; parts of it can be overridden. */
export function testShell(
  parts: Partial<Pick<Shell, "variables" | "workingFolder" | "terminate" | "pid">> & {
    env?: Env;
    isTerminal?: boolean;
  } = {},
): TestShell {
  const { isTerminal = false, ...rest } = parts;
  const written = { out: "", err: "" };
  const terminated: number[] = [];
  const stop = new AbortController();
  const terminal = (name: "out" | "err") => ({
    write: (text: string) => void (written[name] += text),
    redraw: (text: string, what: keyof typeof CLEARED) => void (written[name] += CLEARED[what] + text),
    isTerminal,
    columns: 100,
    rows: 40,
  });
  return {
    env: createRealEnv(),
    out: terminal("out"),
    err: terminal("err"),
    variables: {},
    workingFolder: "/nowhere",
    pid: 4711,
    beganMs: 0,
    terminate: (pid) => void terminated.push(pid),
    stopSignal: () => stop.signal,
    written,
    terminated,
    interrupt: () => stop.abort(new Error("SIGINT")),
    ...rest,
  };
}
