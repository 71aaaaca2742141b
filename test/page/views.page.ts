import { MachinePool } from "@capstan/api";
import { PodDisruptionBudget } from "@capstan/apiserver";
import type { Browser } from "playwright-core";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { capstan, killAll } from "../journeys/capstan.ts";
import { accessProblems, openBrowser, openWindow, overflow, SCREENSHOTS, type Watched } from "./browser.ts";
import { applyExample, applyFile, clientOf, type Stack, startStack } from "./stack.ts";

const SPEED = "30";
const WORKERS = "/rollouts/MachinePool/default/workers";
let stack: Stack;
let browser: Browser;
let window: Watched;

beforeAll(async () => {
  stack = await startStack(["--speed", SPEED]);
  for (const example of ["machine-pool", "machine-deployment", "cluster", "ha-cluster"])
    await applyExample(stack, example);
  browser = await openBrowser();
  window = await openWindow(browser);
  await window.page.goto(stack.link);
});
afterAll(async () => {
  await browser.close();
  await stack.close();
  killAll();
});

describe("the page on a live stack", () => {
  test("shows the four clusters of the examples until they work", async () => {
    const { page } = window;
    for (const name of ["quay", "pier", "demo", "bridge"])
      await page.getByRole("link", { name, exact: true }).waitFor();
    const workers = page.getByRole("row").filter({ hasText: "quay" });
    await workers.getByText("3/3").waitFor({ timeout: 60_000 });
    expect(new URL(page.url()).hash).toBe("");
  });

  test("follows an upgrade in lanes to its end, with the facts of rollout status", async () => {
    const { page } = window;
    await page.goto(`${stack.origin}${WORKERS}`);
    await page.getByText("is rolled out").waitFor();
    const template = { spec: { version: "v1.34.1" } };
    await stack.client.patch(
      MachinePool,
      { name: "workers", namespace: "default" },
      { type: "merge", body: { spec: { template } } },
    );
    await page.getByText(/Ends about/).waitFor({ timeout: 60_000 });
    await page.locator(".track .future").first().waitFor();
    await page.screenshot({ path: join(SCREENSHOTS, "rollout.png") });
    await page.getByText("is rolled out: 3 of 3").waitFor({ timeout: 120_000 });
    await page.getByText(/^Ended/).waitFor();
    expect(await page.locator(".phase.drain, .phase.cordon, .phase.delete").count()).toBeGreaterThan(0);
    await page.screenshot({ path: join(SCREENSHOTS, "rollout-ended.png") });
    const { out } = await capstan(
      "rollout",
      "status",
      "workers",
      "--no-watch",
      "-o",
      "json",
      "--data-dir",
      stack.dataDir,
    );
    const { machines } = JSON.parse(out) as { machines: { desired: number; upToDate: number } };
    const sentence = await page.locator(".sentence").innerText();
    expect(sentence).toContain(`${machines.upToDate} of ${machines.desired} up to date`);
  });

  test("shows each object of a cluster by the keyboard alone", async () => {
    const { page } = window;
    await page.goto(stack.origin);
    await page.getByRole("link", { name: "quay", exact: true }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("quay");
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowDown");
    await page.locator(".row.selected").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Cluster default/quay" }).waitFor();
    await page.getByText("AzureMachinePoolMachine").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("complementary", { name: "Cluster quay", exact: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("complementary", { name: "AzureCluster quay" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
});

describe("a rollout that a budget holds up", () => {
  test("is explained by the budget, with a command that lets it go on", async () => {
    const { page } = window;
    const quay = clientOf(stack.dataDir, "quay");
    await applyFile(quay, "examples/scale-set/web.yaml");
    const web = { name: "web", namespace: "default" };
    await quay.patch(PodDisruptionBudget, web, { type: "merge", body: { spec: { minAvailable: 4 } } });
    await page.goto(`${stack.origin}${WORKERS}`);
    await page.getByText("is rolled out").waitFor();
    await capstan("rollout", "restart", "workers", "--data-dir", stack.dataDir);
    const waiting = page.getByRole("region", { name: "Waiting for" });
    await waiting
      .getByText("PodDisruptionBudget default/web", { exact: true })
      .first()
      .waitFor({ timeout: 120_000 });
    const command = await waiting.locator("code").first().innerText();
    expect(command).toMatch(/patch poddisruptionbudget web -n default --type merge -p '\{.*\}'$/);
    expect(await accessProblems(window)).toEqual([]);
    await page.screenshot({ path: join(SCREENSHOTS, "rollout-blocked.png") });
    const [, body = ""] = /-p '(.*)'$/.exec(command) ?? [];
    await quay.patch(PodDisruptionBudget, web, { type: "merge", body: JSON.parse(body) as object });
    await waiting.waitFor({ state: "detached", timeout: 120_000 });
  });
});

describe.each([
  ["fleet", "/"],
  ["cluster", "/clusters/default/bridge?on=%2FCluster%2Fbridge%2FKubeadmControlPlane%2Fbridge"],
  ["rollout", WORKERS],
])("the view %s", (name, path) => {
  test.each(["light", "dark"] as const)(
    "has no barrier for people with disabilities in %s",
    async (scheme) => {
      const { page } = window;
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(`${stack.origin}${path}`);
      await page.getByRole("table").first().waitFor();
      if (name === "cluster") await page.getByRole("heading", { name: "Conditions" }).waitFor();
      expect(await accessProblems(window)).toEqual([]);
    },
  );

  test.each([360, 1280, 3840])("fits a window of %d pixels", async (width) => {
    const { page } = window;
    await page.setViewportSize({ width, height: 800 });
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(`${stack.origin}${path}`);
      await page.getByRole("table").first().waitFor();
      expect(await overflow(page)).toBe(0);
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${scheme}.png`) });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe("security in a browser", () => {
  test("sees no request to another host, no broken policy and no error", () => {
    expect([...window.hosts]).toEqual([new URL(stack.origin).host]);
    expect(window.problems).toEqual([]);
  });

  test("goes on after the server was killed and started again", async () => {
    const { page } = window;
    await page.goto(stack.origin);
    await page.getByText("Live", { exact: true }).waitFor();
    await stack.stop();
    await page.getByText("Connection lost").waitFor();
    stack = await startStack(["--speed", SPEED], stack.dataDir);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(new URL(page.url()).origin).toBe(stack.origin);
    await page.getByRole("link", { name: "quay", exact: true }).waitFor();
  });

  test("shows nothing to a browser that is not logged in, and says how to log in", async () => {
    const other = await openWindow(browser);
    await other.page.goto(`${stack.origin}/clusters/default/quay`);
    await other.page.getByRole("heading", { name: "Not logged in" }).waitFor();
    await other.page.goto(stack.link);
    await other.page.getByRole("heading", { name: "Fleet" }).waitFor();
    await other.context.clearCookies();
    await other.page.goto(stack.link);
    await other.page.reload();
    await other.page.getByRole("heading", { name: "Not logged in" }).waitFor();
    await other.context.close();
  });
});
