/** `npm run page-pictures`: the pictures of the page in docs, from a live `capstan up` with four example clusters. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MachinePool } from "@capstan/api";
import { killAll } from "../journeys/capstan.ts";
import { openBrowser, openWindow } from "./browser.ts";
import { applyExample, startStack } from "./stack.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const WORKERS = join(import.meta.dirname, "../../examples/machine-pool/workers.yaml");
const NEW_VERSION = "v1.34.1";
const WIDTH = 1200;
const LIMIT = { timeout: 300_000 };

const stack = await startStack(["--speed", "20"]);
const browser = await openBrowser();
try {
  for (const example of ["machine-pool", "machine-deployment", "cluster", "ha-cluster"])
    await applyExample(stack, example);
  const { page } = await openWindow(browser, {
    viewport: { width: WIDTH, height: 560 },
    colorScheme: "light",
  });
  const picture = async (name: string, height: number): Promise<void> => {
    const clip = { x: 0, y: 0, width: WIDTH, height };
    await page.screenshot({ path: join(DOCS, `page-${name}.png`), clip });
  };
  await page.goto(stack.link);
  await page.getByRole("row").filter({ hasText: "quay" }).getByText("3/3").waitFor(LIMIT);
  await page.getByRole("row").filter({ hasText: "bridge" }).getByText("3/3").first().waitFor(LIMIT);

  await page.goto(`${stack.origin}/plan`);
  const change = join(stack.dataDir, "change.yaml");
  writeFileSync(change, readFileSync(WORKERS, "utf8").replaceAll("v1.33.5", NEW_VERSION));
  await page.getByLabel("Open a file").setInputFiles(change);
  await page.locator(".sentence").getByText("3 created, 3 deleted").waitFor(LIMIT);
  await picture("plan", 560);

  await page.goto(`${stack.origin}/rollouts/MachinePool/default/workers`);
  await page.getByText("is rolled out").waitFor(LIMIT);
  await stack.client.patch(
    MachinePool,
    { name: "workers", namespace: "default" },
    { type: "merge", body: { spec: { template: { spec: { version: NEW_VERSION } } } } },
  );
  // In the middle: one machine is gone, and the others are expected to be replaced.
  await page.getByRole("row").getByText("gone").first().waitFor(LIMIT);
  await picture("rollout", 490);
  await page.goto(stack.origin);
  await page.getByRole("link", { name: "quay", exact: true }).waitFor(LIMIT);
  await picture("fleet", 310);
} finally {
  await browser.close();
  await stack.close();
  killAll();
}
