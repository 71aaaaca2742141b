import { Scheduler, VirtualProcess } from "@capstan/env";
import { expect, test } from "vitest";
import { COMPACTION_MS, compactRegularly } from "./compaction.ts";
import { createMemoryStorage } from "./memory.ts";
import { ExpiredError } from "./storage.ts";

const RESOURCE = "/configmaps";

test("changes stay in the history for five to ten minutes, and objects for ever", async () => {
  const scheduler = new Scheduler({ seed: "1" });
  const { clock } = new VirtualProcess(scheduler, "server");
  const storage = createMemoryStorage();
  const create = async (name: string): Promise<number> => {
    const draft = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    const { metadata } = await storage.create({ resource: RESOURCE, namespace: "", name }, draft);
    return Number(metadata.resourceVersion);
  };
  const stop = compactRegularly(storage, clock);
  await scheduler.advance(COMPACTION_MS / 2);
  const first = await create("first");
  await scheduler.advance(COMPACTION_MS);
  const second = await create("second");
  expect(storage.nextEvent(RESOURCE, first - 1)?.resourceVersion).toBe(first);
  await scheduler.advance(COMPACTION_MS);
  expect(() => storage.nextEvent(RESOURCE, first - 1)).toThrow(ExpiredError);
  expect(storage.nextEvent(RESOURCE, first)?.resourceVersion).toBe(second);
  expect([...storage.list({ resource: RESOURCE })]).toHaveLength(2);
  stop();
  await scheduler.advance(3 * COMPACTION_MS);
  expect(storage.nextEvent(RESOURCE, first)?.resourceVersion).toBe(second);
});
