import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { runsAll } from "./test/sample.ts";

const setupFiles = ["./test/property-seed.ts"];

export default defineConfig({
  test: {
    // Files wait for no server and need no core for themselves: one more than the default, which leaves one free.
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          setupFiles,
          // Our modules keep no state, so files may share them: half of the time would go into loading them again.
          isolate: false,
          // No test waits for anything, so this only ends what hangs; a busy machine may be thirty times slower.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
        },
      },
      {
        test: {
          name: "deep",
          setupFiles,
          include: ["packages/*/src/**/*.deep.ts", "test/**/*.deep.ts"],
          // It only ends what hangs: a crash sweep in full takes an hour on a busy machine.
          testTimeout: runsAll ? 7_200_000 : 600_000,
        },
      },
      {
        test: {
          name: "page",
          include: ["test/page/**/*.page.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "kube",
          include: ["test/**/*.kube.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
