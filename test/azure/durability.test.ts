import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createMemoryStore,
  DEFAULT_PRINCIPAL,
  DEFAULT_SUBSCRIPTION,
  DEFAULT_TENANT,
  openSqliteStore,
} from "@capstan/azure-sim";
import { createHttpTransport, type Transport } from "@capstan/env";
import { expect, onTestFinished, test } from "vitest";
import { all, GROUP, LOCATION, scaleSet, startCloud, SUBNET_ID, withScaleSet } from "./cloud.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "capstan-azure-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test.each(["memory", "sqlite"])("a cloud continues from its %s store", async (kind) => {
  const path = folder();
  const memory = createMemoryStore();
  const open = (): ReturnType<typeof createMemoryStore> =>
    kind === "memory" ? memory : openSqliteStore(path);
  const store = open();
  const before = startCloud({ store });
  await withScaleSet(before, 2);
  const poller = before.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(4));
  await poller.submitted();
  before.azure.core.world.disks.write({ key: "disk", image: "none" }, "/etc/motd", "hello");
  before.azure.close();
  store.close();

  const again = open();
  const after = startCloud({ store: again });
  expect(after.azure.control.state().runningOperations.length).toBe(1);
  expect(after.azure.control.journalHash).toBe(before.azure.control.journalHash);
  await after.scheduler.advance(7_200_000);
  expect(after.azure.control.state()).toMatchObject({
    runningOperations: [],
    scaleSets: [{ capacity: 4, instances: { Succeeded: 4 } }],
  });
  expect(after.azure.core.world.disks.read({ key: "disk", image: "none" }, "/etc/motd", {})).toBe("hello");
  expect(after.azure.core.world.addresses.usedIn(SUBNET_ID)).toBe(4);
  expect(after.azure.core.world.usage.used(DEFAULT_SUBSCRIPTION, LOCATION, "cores")).toBe(8);
  expect((await all(after.compute.virtualMachineScaleSetVMs.list(GROUP, "pool"))).length).toBe(4);
  expect([...again.journal()].length).toBeGreaterThan(5);
  after.azure.close();
  again.close();
});

test("a store of a newer format is refused with the reason", async () => {
  const path = folder();
  openSqliteStore(path).close();
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(join(path, "azure.db"));
  database.exec("PRAGMA user_version = 99");
  database.close();
  expect(() => openSqliteStore(path)).toThrow("written by a newer Capstan");
});

test("a store whose log is gone, or that was emptied, is refused with advice", async () => {
  const path = folder();
  const store = openSqliteStore(path);
  await withScaleSet(startCloud({ store }), 2);
  // The file as a killed simulator leaves it, without its log.
  const killed = folder();
  copyFileSync(join(path, "azure.db"), join(killed, "azure.db"));
  store.close();
  expect(() => openSqliteStore(killed)).toThrow("the newest writes are missing");
  writeFileSync(join(path, "azure.db"), "");
  expect(() => openSqliteStore(path)).toThrow("it has lost its content; restore it from a copy");
});

test("a store of format 2, which had instances and disks by SET/INSTANCE, is read", async () => {
  const path = folder();
  const store = openSqliteStore(path);
  const before = startCloud({ store });
  await withScaleSet(before, 2);
  const { id = "" } = await before.compute.virtualMachineScaleSetVMs.get(GROUP, "pool", "1");
  before.azure.core.disk(id)?.write("/etc/motd", "hello");
  before.azure.close();
  store.close();
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(join(path, "azure.db"));
  database.exec(`
    UPDATE rows SET "key" = replace("key", '/virtualmachines/', '/') WHERE "table" IN ('instance', 'disk');
    UPDATE rows SET body = json_remove(body, '$.machineId') WHERE "table" = 'instance';
    PRAGMA user_version = 2;
  `);
  database.close();

  const again = openSqliteStore(path);
  const after = startCloud({ store: again });
  expect(after.azure.core.disk(id)?.read("/etc/motd")).toBe("hello");
  expect(after.azure.core.machine(id)).toEqual(before.azure.core.machine(id));
  expect([...after.azure.core.world.machines.records()]).toEqual([
    ...before.azure.core.world.machines.records(),
  ]);
  after.azure.close();
  again.close();
});

interface SimProcess {
  readonly transport: Transport;
  kill(): Promise<void>;
}

async function startProcess(path: string): Promise<SimProcess> {
  const script = fileURLToPath(import.meta.resolve("./sim-process.ts"));
  const child: ChildProcess = spawn(process.execPath, [script, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(/port (\d+)/.exec(chunk.toString())?.[1] ?? ""));
    void exited.then(() => reject(new Error(`the simulator ended with ${child.exitCode}`)));
  });
  const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${port}` });
  return {
    transport,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
      await transport.close();
    },
  };
}

test("an operation continues after kill -9, with the same URL", async () => {
  const path = folder();
  let sim = await startProcess(path);
  const token = async (): Promise<string> => {
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: DEFAULT_PRINCIPAL.clientId,
      client_secret: DEFAULT_PRINCIPAL.clientSecret ?? "",
      scope: "https://management.azure.com/.default",
    });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const asked = {
      method: "POST",
      path: `/${DEFAULT_TENANT}/oauth2/v2.0/token`,
      headers,
      body: form.toString(),
    };
    const answer = (await (await sim.transport.request(asked)).json()) as { access_token: string };
    return answer.access_token;
  };
  const ask = async (
    method: string,
    where: string,
    body?: unknown,
  ): Promise<{ status: number; headers: Readonly<Record<string, string>>; body: unknown }> => {
    const authorization = where.startsWith("/_sim/") ? "Bearer open" : `Bearer ${await token()}`;
    const headers = { authorization, "content-type": "application/json" };
    const answer = await sim.transport.request({
      method,
      path: where,
      headers,
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
  };
  const group = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}`;
  const ip = `${group}/providers/Microsoft.Network/publicIPAddresses/ip?api-version=2024-07-01`;
  try {
    expect((await ask("PUT", `${group}?api-version=2024-03-01`, { location: LOCATION })).status).toBe(201);
    await ask("POST", "/_sim/faults", { id: "slow", match: {}, effect: { kind: "delay", ms: 1 } });
    const put = await ask("PUT", ip, {
      location: LOCATION,
      properties: { publicIPAllocationMethod: "Static" },
    });
    expect(put.status).toBe(201);
    const { pathname, search } = new URL(put.headers["azure-asyncoperation"] ?? "");

    await sim.kill();
    sim = await startProcess(path);

    await ask("POST", "/_sim/clock", { advanceSeconds: 3600 });
    expect((await ask("GET", `${pathname}${search}`)).body).toEqual({ status: "Succeeded" });
    expect((await ask("GET", ip)).body).toMatchObject({ properties: { provisioningState: "Succeeded" } });
    const journal = (await ask("GET", "/_sim/journal")).body as { entries: { sequence: number }[] };
    // The journal of the earlier process is kept, too.
    expect(journal.entries[0]?.sequence).toBe(1);
  } finally {
    await sim.kill();
  }
});
