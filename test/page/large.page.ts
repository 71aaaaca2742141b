/** How fast the page is with 10,000 machines and 500 clusters; the figures are printed. */
import { AzureMachinePoolMachine, Cluster, type CustomKind, formatTimestamp, Machine } from "@capstan/api";
import { createRealEnv, type ListeningServer, serveHttp } from "@capstan/env";
import type { Browser, CDPSession } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageBed } from "../../packages/cli/src/page/page.fixture.ts";
import { median, printTable } from "../bench/table.ts";
import { openBrowser, openWindow, type Watched } from "./browser.ts";
import { CLUSTERS, FOREST, MACHINES, NODES, POOL, storeLargeFleet } from "./large-fleet.ts";

const env = createRealEnv();
const bed = new PageBed();
let listening: ListeningServer;
let browser: Browser;
let window: Watched;
const figures: string[][] = [];

beforeAll(async () => {
  await storeLargeFleet(bed.client, env.clock.now());
  listening = await serveHttp((request) => bed.page.server.handle(request, listening.port));
  browser = await openBrowser();
  window = await openWindow(browser);
  // The first login reads all objects, which is not what a view costs.
  await window.page.goto(`${origin()}/#${bed.page.sessions.newToken()}`);
  await window.page.getByRole("row").nth(5).waitFor();
});
afterAll(async () => {
  const heads = [
    "view",
    "rows",
    "first view, ms",
    "its CPU ms",
    "update, ms",
    "CPU ms of the server",
    "of the browser",
  ];
  printTable(heads, figures);
  await browser.close();
  await listening.close();
  bed.close();
});

const origin = (): string => `http://127.0.0.1:${listening.port}`;

/** The processor time of the page's thread in milliseconds, from when its session was opened. */
async function busyMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}

const UPDATES = 7;

interface Case {
  readonly name: string;
  readonly path: string;
  readonly kind: CustomKind;
  readonly objects: string;
  readonly rows: number;
  /** A status of the object that the view shows, with a word in it. */
  readonly status: (word: string) => object;
}

const SECOND_MS = 1_000;

const reported = (word: string, ...types: readonly string[]): object => ({
  conditions: types.map((type) => ({
    type,
    status: "False",
    reason: "Measured",
    message: word,
    lastTransitionTime: formatTimestamp(env.clock.now() - SECOND_MS),
  })),
});
const unready = (word: string): object => reported(word, "Ready", "NodeHealthy");

test.each<Case>([
  {
    name: "fleet",
    path: "/?q=quay-7",
    kind: Cluster,
    objects: "quay-7",
    rows: CLUSTERS,
    status: (word) => reported(word, "Available"),
  },
  {
    name: "rollout of a pool",
    path: `/rollouts/MachinePool/default/${POOL}`,
    kind: AzureMachinePoolMachine,
    objects: `${POOL}-0`,
    rows: MACHINES,
    status: unready,
  },
  {
    name: "rollout of a MachineDeployment",
    path: `/rollouts/MachineDeployment/default/${FOREST}`,
    kind: Machine,
    objects: `${FOREST}-0`,
    rows: NODES,
    status: unready,
  },
  {
    name: "tree of a cluster",
    path: `/clusters/default/${FOREST}?q=${FOREST}-0`,
    kind: Machine,
    objects: `${FOREST}-0`,
    rows: 2 * NODES,
    status: unready,
  },
])("the view $name", async ({ name, path, kind, objects, rows, status }) => {
  const { page } = window;
  const session = await window.context.newCDPSession(page);
  await session.send("Performance.enable");
  const idle = process.cpuUsage();
  const idleMs = await busyMs(session);
  const startedMs = env.clock.monotonic();
  await page.goto(`${origin()}${path}`);
  await page.locator(".body .row").first().waitFor();
  const firstMs = env.clock.monotonic() - startedMs;
  const first = process.cpuUsage(idle);
  const firstBusyMs = (first.user + first.system) / 1000 + (await busyMs(session)) - idleMs;
  const walls: number[] = [];
  // The stream is quiet before each change, as between two changes of a real fleet.
  await page.waitForTimeout(SETTLE_MS);
  const server = process.cpuUsage();
  const browserMs = await busyMs(session);
  for (let update = 0; update < UPDATES; update++) {
    const word = `measured-${update}`;
    const drawn = page.locator(`[title*="${word}"]`).first().waitFor({ state: "attached" });
    const changedMs = env.clock.monotonic();
    await bed.client.patch(
      kind,
      { name: objects, namespace: "default" },
      { type: "merge", body: { status: status(word) }, subresource: "status" },
    );
    await drawn;
    walls.push(env.clock.monotonic() - changedMs);
    await page.waitForTimeout(SETTLE_MS);
  }
  const { user, system } = process.cpuUsage(server);
  const drawnMs = ((await busyMs(session)) - browserMs) / UPDATES;
  const servedMs = (user + system) / 1000 / UPDATES;
  figures.push([
    name,
    String(rows),
    ...[firstMs, firstBusyMs, median(walls), servedMs, drawnMs].map((ms) => ms.toFixed(0)),
  ]);
  expect(walls).toHaveLength(UPDATES);
});

const SETTLE_MS = 1_200;
