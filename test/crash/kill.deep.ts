import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killLoop } from "./kill-loop.ts";

test("a server that is killed among 8 writers keeps every acknowledged write, 30 times in a row", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-kill-"));
  try {
    const figures = await killLoop(join(folder, "data"), { kills: 30, seed: "deep" });
    console.log(figures);
    expect(figures.acknowledged).toBeGreaterThanOrEqual(30 * 40);
    // A new life has no history: a watcher who missed something is told, and one who did not goes on.
    expect(figures.resumed + figures.expired).toBe(30);
    expect(figures.expired).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
