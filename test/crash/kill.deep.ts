import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repetitions } from "../sample.ts";
import { killLoop } from "./kill-loop.ts";

const kills = repetitions("kills of a server", 10, 30);

test(`a server that is killed among 8 writers keeps every acknowledged write, ${kills} times in a row`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-kill-"));
  try {
    const figures = await killLoop(join(folder, "data"), { kills, seed: "deep" });
    console.log(figures);
    expect(figures.acknowledged).toBeGreaterThanOrEqual(kills * 40);
    // A new life has no history: a watcher who missed something is told, and one who did not goes on.
    expect(figures.resumed + figures.expired).toBe(kills);
    expect(figures.expired).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
