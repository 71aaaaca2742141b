/** A reader of the documentation: stands in the root of the repository, has kubectl, and types what a page shows. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { BASH_FLAGS } from "./bash.ts";
import { REPOSITORY } from "./shown-commands.ts";
import { scriptOf, staleOutputs, stepsOf } from "./shown-outputs.ts";

/** A reader with a folder of their own. */
export interface Reader {
  /** Looks like the root of the repository. */
  readonly root: string;
  readonly dataDir: string;
  /** Runs a script; the answer has standard error, too. */
  readonly shell: (script: string) => Promise<string>;
  /** Runs steps of a page in one shell; fails when the page shows another output. */
  readonly page: (path: string, part?: Part) => Promise<string>;
  /** Removes the folder. */
  readonly close: () => void;
}

/** Which steps of a page, counted as by `slice`. */
interface Part {
  readonly from?: number;
  readonly to?: number;
  /** Continues after a command that fails, as a terminal does. */
  readonly mayFail?: boolean;
}

/** Longer than anything that a page waits for. */
export const READER_LIMIT_MS = 100_000;

/** Makes a reader who uses a kubectl, or needs none. */
export function createReader(kubectl = "kubectl"): Reader {
  const root = mkdtempSync(join(tmpdir(), "capstan-reader-"));
  const dataDir = join(root, ".capstan");
  mkdirSync(join(root, "bin"));
  symlinkSync(kubectl, join(root, "bin/kubectl"));
  for (const name of ["examples", "node_modules"]) symlinkSync(join(REPOSITORY, name), join(root, name));
  const env = {
    ...process.env,
    PATH: [join(root, "bin"), join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    KUBECONFIG: join(dataDir, "kubeconfig"),
    HOME: root,
  };
  const shell = (script: string): Promise<string> =>
    run(["-euo", "pipefail", "-c", script], { cwd: root, env, timeout: READER_LIMIT_MS });
  return {
    root,
    dataDir,
    shell,
    page: (path, part = {}) => runPage(shell, path, part),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

function run(args: readonly string[], options: object): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile("bash", [...BASH_FLAGS, ...args], options, (error, stdout, stderr) => {
      const printed = `${stdout}${stderr}`;
      if (error) reject(new Error(`bash ended with ${error.code} after it had printed\n${printed}`));
      else resolve(printed);
    });
  });
}

async function runPage(
  shell: Reader["shell"],
  path: string,
  { from, to, mayFail = false }: Part,
): Promise<string> {
  const steps = stepsOf(path).slice(from, to);
  const script = scriptOf(steps);
  const printed = await shell(mayFail ? `set +e\n${script}\ntrue` : script);
  const stale = staleOutputs(path, steps, printed);
  if (stale.length > 0) throw new Error(stale.join("\n\n"));
  return printed;
}
