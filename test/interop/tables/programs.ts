import { interopProgram, PROGRAM_NAMES } from "../programs.ts";
import type { Table } from "../table.ts";

/** Builds all programs, and prints where they are. It is quick when they are in the cache. */
export const programs: Table = {
  name: "programs",
  about: "the programs of others that tables use",
  inputs: ["test/interop/*/go.mod", "test/interop/*/go.sum", "test/interop/*/*.go"],
  run: ({ say }) => {
    const paths = PROGRAM_NAMES.map((name) => `${name} is ${interopProgram(name, say)}`);
    return { summary: paths.join("; "), problems: [] };
  },
};
