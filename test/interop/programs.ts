/** Upstream's programs, built from the module files of this folder. */
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { goBuild, hasGo, ProgramMissing, programFolder } from "../go-programs.ts";

/** The programs, each a folder with a module file, and how long a build takes on two cores. */
export const PROGRAMS = { oracle: "3 minutes" } as const;

/** The name of a program. */
export type Program = keyof typeof PROGRAMS;

/** The path of a program; it is built first if the cache does not have it. */
export function programPath(program: Program, say: (line: string) => void = console.log): string {
  const module = join(import.meta.dirname, program);
  const sources = globSync(["go.mod", "go.sum", "*.go"], { cwd: module }).sort();
  const folder = programFolder(
    `interop-${program}`,
    sources.map((file) => join(module, file)),
  );
  const output = join(folder, program);
  if (existsSync(output)) return output;
  if (!hasGo())
    throw new ProgramMissing(`no ${program} found, and no Go to build it; install Go 1.26 or newer`);
  say(`Building ${program} with Go, once; about ${PROGRAMS[program]} on 2 cores`);
  goBuild({ module, package: ".", output });
  return output;
}
