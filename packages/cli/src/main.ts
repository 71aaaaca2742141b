/** What `bin/capstan.mjs` runs: the real process as a shell for the commands. */
import { isatty } from "node:tty";
import { createRealEnv } from "@capstan/env";
import { run } from "./program.ts";
import type { Shell } from "./shell.ts";
import { stopSignalOf } from "./signals.ts";
import { terminalOf } from "./render/terminal.ts";

const env = createRealEnv();

// The reader of our output may close the pipe, as `head` does; a server must survive that.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);

// All files are for the current user only; files with secrets set their mode as well.
process.umask(0o077);

const shell: Shell = {
  env,
  out: terminalOf(process.stdout, isatty(1)),
  err: terminalOf(process.stderr, isatty(2)),
  variables: process.env,
  workingFolder: process.cwd(),
  pid: process.pid,
  // The monotonic clock of a process starts with it.
  beganMs: 0,
  ...(process.argv[1] !== undefined && { program: process.argv[1] }),
  terminate: (pid) => void process.kill(pid, "SIGTERM"),
  stopSignal: () => stopSignalOf(process, env.clock),
};

const code = await run(process.argv.slice(2), shell);
await Promise.all([written(process.stdout), written(process.stderr)]);
// Open connections and timers of a server must not keep a finished command alive.
process.exit(code);

/** A pipe accepts output in parts; resolves when it has all of it, or when the reader has closed it. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
