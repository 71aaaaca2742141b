/** What earlier runs of a soak have proved, for `--resume FILE`: one line of JSON for each file that passed. */
import { isJsonObject } from "@capstan/api";
import type { Unit } from "./plan.ts";

/** The line that is appended when a file has passed; undefined for storms with fresh seeds, which no run repeats. */
export function passedLine({ project, file, seeds }: Unit, commit: string): string | undefined {
  return seeds ? undefined : `${JSON.stringify({ commit, project, file })}\n`;
}

/**
 * The units that passed in earlier runs of the same commit: what another commit has proved says nothing about this one. A line that was
 * cut off by a crash does not count.
 */
export function passedBefore(
  text: string,
  { exhaustive, commit }: { readonly exhaustive: readonly Unit[]; readonly commit: string },
): readonly Unit[] {
  const passed = new Set(text.split("\n"));
  return exhaustive.filter((unit) => passed.has(passedLine(unit, commit)?.trimEnd() ?? ""));
}

/** Throws an error whose message says what is wrong if a file is not one of passed units. */
export function checkProgress(path: string, text: string): void {
  const bad = text.split("\n").findIndex((line, index, lines) => {
    const isLast = index === lines.length - 1;
    return !isLast && !isPassedLine(line);
  });
  if (bad >= 0)
    throw new Error(
      `--resume ${path}: line ${bad + 1} is not one that a soak has written; name another file`,
    );
}

function isPassedLine(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) && typeof value["commit"] === "string" && typeof value["file"] === "string";
  } catch {
    return false;
  }
}
