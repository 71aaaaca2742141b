import { Cluster, MachineDeployment } from "@capstan/api";
import { type ListeningServer, serveHttp } from "@capstan/env";
import { cluster, machineDeployment } from "@capstan/runtime/testing/builders";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageBed } from "../../packages/cli/src/page/page.fixture.ts";
import { openBrowser, openWindow, type Watched } from "./browser.ts";

/** Markup that runs when it is taken for HTML, a terminal's command, and a mark that turns a line round. */
const EVIL = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script> \u001B[2J \u202Egnp.exe`;
const VISIBLE = String.raw`\u001b[2J \u202egnp.exe`;
const HIDDEN = ["\u001B", "\u202E"];
const NAME = { name: "quay", namespace: "default" };

const bed = new PageBed();
let listening: ListeningServer;
let browser: Browser;
let window: Watched;

beforeAll(async () => {
  const conditions = [
    {
      type: "Available",
      status: "False",
      reason: "Bad",
      message: EVIL,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ];
  const annotations = { "example.com/note": EVIL };
  await bed.store(
    cluster({ metadata: { ...NAME, annotations }, status: { conditions } } as never),
    machineDeployment({
      metadata: { name: "workers", labels: { "cluster.x-k8s.io/cluster-name": "quay" }, annotations },
      spec: { clusterName: "quay", template: { spec: { clusterName: "quay" } } },
      status: { conditions },
    } as never),
  );
  const { uid = "" } = (await bed.client.get(Cluster, NAME)).metadata;
  await bed.store({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "quay.1", namespace: "default" },
    involvedObject: { apiVersion: Cluster.apiVersion, kind: Cluster.kind, ...NAME, uid },
    type: "Warning",
    reason: "Bad",
    message: EVIL,
    lastTimestamp: "2026-01-01T00:00:00Z",
  } as never);
  listening = await serveHttp((request) => bed.page.server.handle(request, listening.port));
  browser = await openBrowser();
  window = await openWindow(browser);
  await window.page.goto(`${origin()}/#${bed.page.sessions.newToken()}`);
});
afterAll(async () => {
  await browser.close();
  await listening.close();
  bed.close();
});

const origin = (): string => `http://127.0.0.1:${listening.port}`;

/** Whether a view shows the text as a text, and nothing of it has run. */
async function expectHarmless(): Promise<void> {
  const { page } = window;
  await page.getByText(VISIBLE).first().waitFor({ state: "attached" });
  expect(await page.title()).not.toContain("hacked");
  expect(await page.locator("main img, main script").count()).toBe(0);
  const text = await page.locator("body").innerText();
  for (const hidden of HIDDEN) expect(text).not.toContain(hidden);
}

test.each([
  ["the fleet", "/"],
  ["a cluster", "/clusters/default/quay"],
  ["an object with its events and its YAML", "/clusters/default/quay?on=%2FCluster%2Fquay"],
])("%s shows hostile texts as texts", async (_, path) => {
  await window.page.goto(`${origin()}${path}`);
  await expectHarmless();
});

test("a manifest that cannot be planned is quoted as a text", async () => {
  const { page } = window;
  await page.goto(`${origin()}/plan`);
  const file = {
    name: `${EVIL.slice(0, 40)}.yaml`,
    mimeType: "text/plain",
    buffer: Buffer.from(`kind: ${JSON.stringify(EVIL)}`),
  };
  await page.getByLabel("Open a file").setInputFiles(file);
  await page.getByRole("alert").waitFor();
  expect(await page.title()).not.toContain("hacked");
  expect(await page.locator("main img, main script").count()).toBe(0);
  const said = await page.getByRole("alert").innerText();
  for (const hidden of HIDDEN) expect(said).not.toContain(hidden);
});

test("a rollout with an address of markup says that there is none", async () => {
  const { page } = window;
  await page.goto(
    `${origin()}/rollouts/${MachineDeployment.kind}/default/${encodeURIComponent("<img src=x>")}`,
  );
  await page.locator(".problem").waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  expect([...window.hosts]).toEqual([new URL(origin()).host]);
});
