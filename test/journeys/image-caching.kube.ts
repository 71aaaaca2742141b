import { afterAll, beforeAll, expect, test } from "vitest";
import { runsAll } from "../sample.ts";
import { killAll, launch, READY } from "./capstan.ts";
import { findKubectls } from "./kubectls.ts";
import { createReader, READER_LIMIT_MS } from "./reader.ts";

/** In a soak only: at this speed a busy machine has too little time for ten machines that fail. */
const longTest = test.runIf(runsAll);

const PAGE = "docs/how-to/cache-node-images.md";
const { dataDir, page, close } = createReader(findKubectls()[0]?.program ?? "");

beforeAll(async () => {
  const image = ["--latencies", "examples/image-caching/simulation/old-image.yaml"];
  const flags = ["--speed", "600", "--feature-gates", "NodePrototyping=true", ...image];
  const running = launch(["up", "--port", "0", "--data-dir", dataDir, ...flags]);
  await running.until(READY);
});
afterAll(() => {
  killAll();
  close();
});

test(
  "the page: a pool gets an image of its own, without identity, and new nodes start from it",
  async () => {
    const status = await page(PAGE, { to: 1 });
    expect(status).not.toMatch(/Warning/);
    expect(status).toMatch(/last renewal +20\d\d-/);
    expect(status).toMatch(/Active +20\d\d-\S+ +\d+[mh] +30 GB +3 +mole-workers-\d/);
    const image = await page(PAGE, { from: 1, to: 2 });
    expect(image).not.toMatch(/-(scrub|canary)-2|kubelet\.conf|ssh_host|\/run\//);
    const scaled = await page(PAGE, { from: 2, to: 3 });
    expect(scaled).toMatch(/6 of 6 up to date and available/);
    const version = /^(\d+\.\d+\.\d+) +Active/m.exec(status)?.[1] ?? "";
    expect(scaled).toMatch(new RegExp(`mole-workers-3 +${version.replaceAll(".", String.raw`\.`)}`));
    expect(scaled).toMatch(/mole-workers-0 +1\.33\.5/);
    expect(scaled).toMatch(/^machines from images of a node have a Ready Node \d+ % (sooner|later)/m);
    const patched = await page(PAGE, { from: 3, to: 4 });
    expect(patched).toMatch(/Package: openssl\nStatus: install ok installed\nVersion: 3\.0\.13-0ubuntu3\.5/);
  },
  READER_LIMIT_MS,
);

longTest(
  "the page: a bad image is caught by the canary, and without one it is rolled back by itself",
  async () => {
    const caught = await page(PAGE, { from: 4, to: 5 });
    expect(caught).toMatch(/it did not join in time\. Other machines do not get it/);
    const rolledBack = await page(PAGE, { from: 5, to: 6 });
    expect(rolledBack).toMatch(/[23] of 3 nodes from version \S+ did not join .* none from an image before/);
    const corrected = await page(PAGE, { from: 6 });
    expect(corrected).toMatch(/7 of 7 up to date and available/);
    expect(corrected).toMatch(/default +mole-workers +1h/);
  },
  READER_LIMIT_MS,
);
