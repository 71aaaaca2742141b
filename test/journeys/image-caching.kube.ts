import { afterAll, beforeAll, expect, test } from "vitest";
import { killAll, launch, READY } from "./capstan.ts";
import { findKubectls } from "./kubectls.ts";
import { createReader, READER_LIMIT_MS } from "./reader.ts";

const PAGE = "docs/how-to/cache-node-images.md";
const { dataDir, page, close } = createReader(findKubectls()[0]?.program ?? "");

beforeAll(async () => {
  const gates = ["--feature-gates", "NodePrototyping=true"];
  const running = launch(["up", "--port", "0", "--data-dir", dataDir, "--speed", "600", ...gates]);
  await running.until(READY);
});
afterAll(() => {
  killAll();
  close();
});

test(
  "the page: a pool gets an image of its own, and a new node starts from it",
  async () => {
    const status = await page(PAGE, { to: 1 });
    expect(status).toMatch(/last renewal +20\d\d-/);
    expect(status).toMatch(/Active +20\d\d-\S+ +\d+[mh] +30 GB +3 +mole-workers-\d/);
    const scaled = await page(PAGE, { from: 1, to: 2 });
    expect(scaled).toMatch(/4 of 4 up to date and available/);
    const version = /^(\d+\.\d+\.\d+) +Active/m.exec(status)?.[1] ?? "";
    expect(scaled).toMatch(new RegExp(`mole-workers-3 +${version.replaceAll(".", String.raw`\.`)}`));
    expect(scaled).toMatch(/mole-workers-0 +1\.33\.5/);
    const renewed = await page(PAGE, { from: 2 });
    expect(renewed).toMatch(/Package: openssl\nStatus: install ok installed\nVersion: 3\.0\.13-0ubuntu3\.5/);
    expect(renewed).toMatch(/a renewal is asked for/);
    expect(renewed).toMatch(/default +mole-workers +1h/);
  },
  READER_LIMIT_MS,
);
