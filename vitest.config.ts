import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
        },
      },
      {
        test: {
          name: "deep",
          include: ["packages/*/src/**/*.deep.ts", "test/**/*.deep.ts"],
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: "kube",
          include: ["test/kube/**/*.kube.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
