import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { capstan, killAll } from "../journeys/capstan.ts";
import { accessProblems, openBrowser, openWindow, overflow, SCREENSHOTS, type Watched } from "./browser.ts";
import { applyExample, type Stack, startStack } from "./stack.ts";

const WORKERS = join(import.meta.dirname, "../../examples/machine-pool/workers.yaml");
const EXAMPLES = join(import.meta.dirname, "../../examples");
let stack: Stack;
let browser: Browser;
let window: Watched;

beforeAll(async () => {
  stack = await startStack(["--speed", "60"]);
  await applyExample(stack, "machine-pool");
  browser = await openBrowser();
  window = await openWindow(browser);
  const { page } = window;
  await page.goto(stack.link);
  await page.getByRole("row").filter({ hasText: "quay" }).getByText("3/3").waitFor({ timeout: 60_000 });
});
afterAll(async () => {
  await browser.close();
  await stack.close();
  killAll();
});

function saved(name: string, text: string): string {
  const path = join(stack.dataDir, name);
  writeFileSync(path, text);
  return path;
}

/** Opens a file in the view of plans. */
async function open(path: string): Promise<void> {
  const { page } = window;
  await page.goto(`${stack.origin}/plan`);
  await page.getByLabel("Open a file").setInputFiles(path);
}

/** Whether the view is fit for everyone, in windows of all sizes. */
async function expectFit(): Promise<void> {
  const { page } = window;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessProblems(window)).toEqual([]);
  }
  for (const width of [360, 3840, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflow(page), `${width} pixels`).toBe(0);
  }
}

describe("plans", () => {
  test("a manifest that is dropped shows its plan, and nothing is applied", async () => {
    const { page } = window;
    await open(saved("change.yaml", readFileSync(WORKERS, "utf8").replaceAll("v1.33.5", "v1.34.1")));
    await page.locator(".sentence").getByText("3 created, 3 deleted").waitFor();
    expect(await page.locator(".track .future").count()).toBeGreaterThanOrEqual(6);
    await page.screenshot({ path: join(SCREENSHOTS, "plan.png") });
    await expectFit();
    const { out } = await capstan("rollout", "status", "workers", "--no-watch", "--data-dir", stack.dataDir);
    expect(out).toContain("3 of 3 up to date");
  });

  test("a manifest that cannot be planned is answered with a sentence", async () => {
    const { page } = window;
    await open(saved("broken.yaml", "kind: [<b>"));
    expect(await page.getByRole("alert").innerText()).toContain("neither YAML nor JSON");
    // Chromium reports the status of the answer as an error.
    expect(window.problems.splice(0)).toHaveLength(1);
  });

  test("a report of a rehearsal opens in lanes against the budget", async () => {
    const { page } = window;
    const fleet = ["--from", join(EXAMPLES, "rehearse/fleet.yaml")];
    const change = ["-f", join(EXAMPLES, "rehearse/upgrade.yaml")];
    const { out } = await capstan("rehearse", ...change, ...fleet, "--seeds", "1", "-o", "json");
    await open(saved("report.json", out));
    await page.getByText("Rehearsal: disrupted within budgets").waitFor();
    expect(await page.locator(".track .phase.delete").count()).toBe(6);
    await expectFit();
  });

  test("a run of a scenario opens with its Nodes", async () => {
    const { page } = window;
    const { out } = await capstan("sim", "run", join(EXAMPLES, "scenarios/roll-pool.yaml"), "-o", "json");
    await open(saved("run.json", out));
    await page.getByText("Scenario: A pool is rolled").waitFor();
    expect(await page.locator(".track .phase.ready").count()).toBeGreaterThanOrEqual(6);
  });
});

describe("the simulated Azure", () => {
  test.each([
    ["resources", "virtualMachineScaleSets"],
    ["machines", "running"],
    ["requests", "GET"],
  ])("shows its %s live", async (list, text) => {
    const { page } = window;
    await page.goto(`${stack.origin}/azure/${list}`);
    await page.getByText(text).first().waitFor();
    await page.getByText(/Z, speed 60/).waitFor();
    await page.screenshot({ path: join(SCREENSHOTS, `azure-${list}.png`) });
    await expectFit();
  });
});

test("nothing is asked of another server, and nothing fails", () => {
  expect([...window.hosts]).toEqual([new URL(stack.origin).host]);
  expect(window.problems).toEqual([]);
});
