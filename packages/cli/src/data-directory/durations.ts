import { formatProblem, type GivenDurations, readDurations } from "@capstan/sim";
import { CommandError } from "../command-error.ts";
import { readGivenFile } from "../given-file.ts";
import type { Shell } from "../shell.ts";

/** The durations of a file that `--latencies` names; those of the model's table without one. */
export function durationsIn(shell: Shell, path: string | undefined): GivenDurations {
  if (path === undefined) return {};
  const read = readDurations(path, readGivenFile(shell, path, "--latencies"));
  if ("durations" in read) return read.durations;
  throw new CommandError(read.problems.map(formatProblem).join("\n"));
}
