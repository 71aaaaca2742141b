import { AzureMachineTemplate, MachineDeployment } from "@capstan/api";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { capstan, killAll } from "../journeys/capstan.ts";
import { openBrowser, openWindow, SCREENSHOTS, type Watched } from "./browser.ts";
import { applyExample, type Stack, startStack } from "./stack.ts";

const WORKERS = { name: "raft-workers", namespace: "default" };
const LIMIT = { timeout: 120_000 };
let stack: Stack;
let browser: Browser;
let window: Watched;

beforeAll(async () => {
  stack = await startStack([
    "--speed",
    "40",
    "--feature-gates",
    "InPlaceUpdates=true",
    "--updaters",
    "azure",
  ]);
  await applyExample(stack, "in-place-resize");
  browser = await openBrowser();
  window = await openWindow(browser);
  await window.page.goto(stack.link);
});
afterAll(async () => {
  await browser.close();
  await stack.close();
  killAll();
});

interface Facts {
  readonly state: string;
  readonly machines: { readonly desired: number; readonly upToDate: number };
}

test("updates in place are seen in lanes until the rollout ends, with the facts of rollout status", async () => {
  const { page } = window;
  await page.goto(`${stack.origin}/rollouts/MachineDeployment/default/raft-workers`);
  await page.getByText("is rolled out").waitFor(LIMIT);
  const infrastructureRef = {
    apiGroup: AzureMachineTemplate.group,
    kind: AzureMachineTemplate.kind,
    name: "raft-workers-large",
  };
  await stack.client.patch(MachineDeployment, WORKERS, {
    type: "merge",
    body: { spec: { template: { spec: { infrastructureRef } } } },
  });
  await page
    .locator(".phase.update")
    .first()
    .waitFor({ ...LIMIT, state: "attached" });
  await page.screenshot({ path: join(SCREENSHOTS, "in-place.png") });
  await page.getByText("is rolled out").waitFor(LIMIT);
  expect(await page.locator(".phase.delete").count()).toBe(0);
  const flags = ["--no-watch", "-o", "json", "--data-dir", stack.dataDir];
  const { out } = await capstan("rollout", "status", "md/raft-workers", ...flags);
  const { state, machines } = JSON.parse(out) as Facts;
  expect(state).toBe("RolledOut");
  expect(await page.locator(".sentence").innerText()).toContain(
    `${machines.upToDate} of ${machines.desired} up to date`,
  );
});
