import { type AzureCluster, type Operation } from "@capstan/api";
import { Scheduler, VirtualProcess } from "@capstan/env";
import type { Context } from "@capstan/runtime";
import { azureCluster } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { idOf } from "../model/cluster.fixture.ts";
import { normalizedId } from "@capstan/azure";
import { Ledger } from "./ledger.ts";

const record = (path: string, url?: string): Operation => ({
  verb: "PUT",
  resourceID: idOf(path),
  startedAt: "2026-01-01T00:00:00Z",
  ...(url !== undefined && { url }),
});

/** A ledger, the number of operations in each write of the status, and the object that it writes to. */
function opened(status?: AzureCluster["status"]) {
  const scheduler = new Scheduler({ seed: "ledger" });
  const object = azureCluster({ ...(status && { status }) });
  const writes: number[] = [];
  const persistStatus = async (): Promise<void> => {
    writes.push(object.status?.longRunningOperationStates?.length ?? 0);
  };
  const env = new VirtualProcess(scheduler, "manager");
  const context = { object, env, persistStatus } as unknown as Context<AzureCluster>;
  return { ledger: new Ledger(context), object, writes, scheduler };
}

test("the intents of a wave are written together, before any of them is sent", async () => {
  const { ledger, writes, scheduler } = opened();
  const intents = ["a", "b", "c"].map((name) =>
    ledger.persistOperation(idOf(`x/${name}`))(record(`x/${name}`)),
  );
  expect(writes).toEqual([]);
  await scheduler.advance(10);
  await Promise.all(intents);
  expect(writes).toEqual([3]);
});

test("poll URLs and results are written at the end of the pass, and a later pass reads them", async () => {
  const { ledger, object, writes } = opened();
  await ledger.persistOperation(idOf("x/a"))(record("x/a", "https://azure/operation"));
  await ledger.persistOperation(idOf("x/b"))(record("x/b", "https://azure/other"));
  await ledger.persistOperation(idOf("X/B"))(undefined);
  expect(writes).toEqual([]);
  ledger.show();
  expect(object.status?.longRunningOperationStates).toMatchObject([
    { type: "PUT", resourceGroup: "c1", serviceName: "x", name: "a" },
  ]);
  const later = opened(object.status).ledger;
  expect(later.records()).toEqual([record("x/a", "https://azure/operation")]);
  expect(later.ids()).toEqual(new Set([normalizedId(idOf("x/a"))]));
});

test("a record of another client is ignored", () => {
  const left = { type: "PUT", serviceName: "vnets", name: "v", data: "bm8=" };
  const { ledger, object } = opened({ longRunningOperationStates: [left, { ...left, data: "e30=" }] });
  expect(ledger.records()).toEqual([]);
  ledger.show();
  expect(object.status).toEqual({});
});
