import { resolve } from "node:path";
import { Option } from "commander";
import { OUTPUT_FORMS, type OutputForm } from "./render/output.ts";
import type { Shell } from "./shell.ts";

/** The flag that most commands have. */
export type DataDirFlag = { dataDir: string };

/** The flag of commands that print an answer. */
export type OutputFlag = { output: OutputForm };

/** Runs a command on the chosen data directory, and keeps its exit code. */
export type CarryOut = (
  flags: DataDirFlag,
  command: (dataDir: string) => number | Promise<number>,
) => Promise<void>;

/** `--data-dir`; the environment variable comes before the default. */
export function dataDirOption(shell: Shell): Option {
  return new Option("--data-dir <folder>", "the data directory").default(usualDataDir(shell));
}

function usualDataDir({ variables }: Pick<Shell, "variables">): string {
  return variables["CAPSTAN_DATA_DIR"] || ".capstan";
}

/** The command that starts a server in a data directory, as a user types it. */
export function startCommand(shell: Pick<Shell, "variables" | "workingFolder">, dataDir: string): string {
  const isUsual = resolve(shell.workingFolder, usualDataDir(shell)) === dataDir;
  return isUsual ? "capstan up" : `capstan up --data-dir ${dataDir}`;
}

/** The help of `--controllers`. */
export const CONTROLLERS_FLAG =
  "comma-separated controllers to run; azure stands for those of the Azure provider (default: all)";

/** The help of `--feature-gates`. */
export const FEATURE_GATES =
  "features to switch, such as InPlaceUpdates=true,NodePrototyping=true; both are off unless given; up remembers them";

/** The help of `--updaters`. */
export const UPDATERS_FLAG =
  "comma-separated updaters to run in this process: azure changes the size of virtual machines in place";

/** `-o`; only some tables have more to show when they are wide. */
export function outputOption(forms: readonly OutputForm[] = OUTPUT_FORMS): Option {
  const choices = forms.filter((form) => form !== undefined);
  return new Option("-o, --output <form>", "output format, instead of a table").choices(choices);
}

/** The values of `-o` for answers that have no wide form. */
export const NARROW_FORMS: readonly OutputForm[] = OUTPUT_FORMS.filter((form) => form !== "wide");
