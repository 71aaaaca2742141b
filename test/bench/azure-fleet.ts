/** A fleet of scale sets in a simulated Azure, created and rolled in virtual time by a driver that keeps to the budgets. */
import { type Azure, createAzure, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { type HttpResponse, Scheduler, VirtualProcess } from "@capstan/env";
import { scaleSet, SUBNET_ID } from "../azure/cloud.ts";

/** How big the fleet is, and how it is rolled. */
export interface FleetSize {
  readonly sets: number;
  readonly perSet: number;
  readonly batch: number;
}

/** What it took. */
export interface FleetRun {
  readonly createMs: number;
  readonly rollMs: number;
  readonly requests: number;
  readonly throttled: number;
  readonly virtualHours: number;
  readonly heapMb: number;
}

const LOCATION = "westus";
const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/rg-test`;
const setPath = (index: number): string =>
  `${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/set-${index}`;

// What one instance costs at the refills of the budgets: 2,000 touched and 10,000 viewed instances a minute.
const TOUCHED_MS = 60_000 / 2000;
const VIEWED_MS = 60_000 / 10_000;
// Between two polls of one operation; 15 a minute are allowed.
const POLL_MS = 30_000;
// A token lives for an hour; a new one for every so many requests is never too old here.
const REQUESTS_PER_TOKEN = 20;

/** Asks a simulated Azure without any client, and lets its time pass. */
class Driver {
  readonly azure: Azure;
  readonly scheduler = new Scheduler({ seed: "bench" });
  requests = 0;
  throttled = 0;
  #token = "";

  constructor() {
    this.azure = createAzure({ env: new VirtualProcess(this.scheduler, "azure"), seed: "bench" });
  }

  async send(method: string, path: string, body?: unknown): Promise<HttpResponse> {
    if (this.requests++ % REQUESTS_PER_TOKEN === 0) this.#token = this.azure.issueToken().token;
    const answer = await this.azure.handle({
      method,
      path,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      ...(body !== undefined && { body }),
    });
    if (answer.status === 429) this.throttled++;
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  /** Polls operations, each on its own, until all of them have succeeded. */
  async finish(addresses: readonly string[]): Promise<void> {
    for (let running = addresses; running.length > 0;) {
      await this.scheduler.advance(POLL_MS);
      const left = [];
      for (const address of running) {
        const { pathname, search } = new URL(address);
        const { status } = (await (await this.send("GET", pathname + search)).json()) as { status: string };
        if (status === "InProgress") left.push(address);
        else if (status !== "Succeeded") throw new Error(`an operation ended as ${status}`);
      }
      running = left;
    }
  }

  /** Every page of the instances of a set; the ids of those that have not got the newest model. */
  async outdated(path: string): Promise<string[]> {
    const ids: string[] = [];
    let next: string | undefined = `${path}/virtualMachines?api-version=2024-11-01`;
    while (next !== undefined) {
      const page = (await (await this.send("GET", next)).json()) as Page;
      await this.scheduler.advance(page.value.length * VIEWED_MS);
      for (const { instanceId, properties } of page.value)
        if (!properties.latestModelApplied) ids.push(instanceId);
      const link: URL | undefined = page.nextLink === undefined ? undefined : new URL(page.nextLink);
      next = link && link.pathname + link.search;
    }
    return ids;
  }
}

interface Page {
  readonly value: readonly { instanceId: string; properties: { latestModelApplied: boolean } }[];
  readonly nextLink?: string;
}

const operationOf = ({ headers }: HttpResponse): string => headers["azure-asyncoperation"] ?? "";

/** A scale set as it goes over the wire. */
function model(capacity: number, customData: string): object {
  const { sku, upgradePolicy, overprovision, virtualMachineProfile } = scaleSet(capacity);
  const profile = virtualMachineProfile ?? {};
  return {
    location: LOCATION,
    sku,
    properties: {
      upgradePolicy,
      overprovision,
      singlePlacementGroup: false,
      virtualMachineProfile: {
        osProfile: { ...profile.osProfile, customData },
        storageProfile: profile.storageProfile,
        networkProfile: {
          networkInterfaceConfigurations: [
            {
              name: "nic",
              properties: {
                primary: true,
                ipConfigurations: [{ name: "ip", properties: { subnet: { id: SUBNET_ID } } }],
              },
            },
          ],
        },
      },
    },
  };
}

async function putSets(driver: Driver, size: FleetSize, customData: string): Promise<void> {
  const operations = [];
  for (let index = 0; index < size.sets; index++) {
    const body = model(size.perSet, customData);
    operations.push(operationOf(await driver.send("PUT", `${setPath(index)}?api-version=2024-11-01`, body)));
    await driver.scheduler.advance(size.perSet * TOUCHED_MS);
  }
  await driver.finish(operations.filter((address) => address !== ""));
}

async function rollSets(driver: Driver, { sets, batch }: FleetSize): Promise<void> {
  const todo = new Map<number, string[]>();
  for (let index = 0; index < sets; index++) todo.set(index, await driver.outdated(setPath(index)));
  while (todo.size > 0) {
    const operations = [];
    for (const [index, ids] of todo) {
      const path = `${setPath(index)}/manualupgrade?api-version=2024-11-01`;
      const instanceIds = ids.slice(0, batch);
      operations.push(operationOf(await driver.send("POST", path, { instanceIds })));
      await driver.scheduler.advance(instanceIds.length * TOUCHED_MS);
    }
    await driver.finish(operations);
    for (const index of todo.keys()) {
      const left = await driver.outdated(setPath(index));
      if (left.length === 0) todo.delete(index);
      else todo.set(index, left);
    }
  }
}

/** A cloud with a group and a network for so many addresses. */
async function startDriver(): Promise<Driver> {
  const driver = new Driver();
  await driver.send("PUT", `${GROUP}?api-version=2024-11-01`, { location: LOCATION });
  const properties = {
    addressSpace: { addressPrefixes: ["10.0.0.0/8"] },
    subnets: [{ name: "nodes", properties: { addressPrefix: "10.1.0.0/16" } }],
  };
  const path = `${SUBNET_ID.slice(0, SUBNET_ID.indexOf("/subnets"))}?api-version=2024-05-01`;
  await driver.finish([operationOf(await driver.send("PUT", path, { location: LOCATION, properties }))]);
  return driver;
}

/** Makes a fleet, rolls all of it by batches with a list after each, and says what that took. */
export async function runFleet(size: FleetSize): Promise<FleetRun> {
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const driver = await startDriver();
  const startedMs = performance.now();
  await putSets(driver, size, "b25l");
  const createdMs = performance.now();
  await putSets(driver, size, "dHdv");
  await rollSets(driver, size);
  const endedMs = performance.now();
  globalThis.gc?.();
  const heapMb = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20;
  const { requests, throttled, scheduler } = driver;
  driver.azure.close();
  return {
    createMs: createdMs - startedMs,
    rollMs: endedMs - createdMs,
    requests,
    throttled,
    virtualHours: scheduler.monotonicMs / 3_600_000,
    heapMb,
  };
}

/** A day of a small scale set that is read once a minute; in milliseconds of ours. */
export async function runDay(): Promise<number> {
  const driver = await startDriver();
  await putSets(driver, { sets: 1, perSet: 3, batch: 1 }, "b25l");
  const startedMs = performance.now();
  for (let minute = 0; minute < 24 * 60; minute++) {
    await driver.send("GET", `${setPath(0)}?api-version=2024-11-01`);
    await driver.scheduler.advance(60_000);
  }
  driver.azure.close();
  return performance.now() - startedMs;
}
