import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killLoop } from "./kill-loop.ts";

test("a server that is killed among 8 writers keeps every acknowledged write, 3 times in a row", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-kill-"));
  try {
    const { acknowledged, objects } = await killLoop(join(folder, "data"), { kills: 3, seed: "sample" });
    expect(acknowledged).toBeGreaterThanOrEqual(3 * 40);
    expect(objects).toBeGreaterThan(8);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
