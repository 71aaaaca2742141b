import { describe, expect, test } from "vitest";
import { answer, Bench, ENDPOINT, SCALE_SET } from "../azure.fixture.ts";
import { ScaleSetInstances } from "./instances.ts";

const page = (ids: readonly number[], nextLink?: string): ReturnType<typeof answer> =>
  answer(200, {
    value: ids.map((id) => ({
      id: `${SCALE_SET}/virtualMachines/${id}`,
      instanceId: String(id),
      properties: {},
    })),
    ...(nextLink !== undefined && { nextLink }),
  });

function create(): {
  bench: Bench;
  instances: ScaleSetInstances;
  reply: { next: () => ReturnType<typeof answer> };
} {
  const reply = { next: () => page([1, 2]) };
  const bench = new Bench(() => reply.next());
  return { bench, reply, instances: new ScaleSetInstances(bench.arm(), bench.process.clock) };
}

describe("the instances of a scale set", () => {
  test("are listed once for all concurrent callers", async () => {
    const { bench, instances } = create();
    const asked = Array.from({ length: 20 }, () => instances.list(SCALE_SET, { maxAgeMs: 0 }));
    const answers = await bench.run(Promise.all(asked));
    expect(bench.requests).toHaveLength(1);
    expect(bench.requests[0]?.path).toContain("%24expand=instanceView");
    expect(answers.map((list) => list.map(({ instanceID }) => instanceID))).toEqual(
      asked.map(() => ["1", "2"]),
    );
  });

  test("are listed again when the list is too old", async () => {
    const { bench, instances } = create();
    await bench.run(instances.list(SCALE_SET, { maxAgeMs: 0 }));
    await bench.scheduler.advance(30_000);
    await bench.run(
      instances.list(SCALE_SET.toUpperCase().replace("/SUBSCRIPTIONS", "/subscriptions"), {
        maxAgeMs: 60_000,
      }),
    );
    expect(bench.requests).toHaveLength(1);
    await bench.run(instances.list(SCALE_SET, { maxAgeMs: 29_000 }));
    expect(bench.requests).toHaveLength(2);
  });

  test("are the same objects as before if unchanged, and new ones otherwise", async () => {
    const { bench, instances, reply } = create();
    const failed = (message: string) => ({
      instanceView: { statuses: [{ code: "ProvisioningState/failed/X", level: "Error", message }] },
    });
    const listed = (...properties: readonly object[]) =>
      answer(200, {
        value: properties.map((one, id) => ({
          id: `${SCALE_SET}/virtualMachines/${id}`,
          instanceId: String(id),
          properties: one,
        })),
      });
    const ok = { provisioningState: "Succeeded" };
    reply.next = () => listed(ok, ok, failed("first"));
    const before = await bench.run(instances.list(SCALE_SET, { maxAgeMs: 0 }));
    await bench.scheduler.advance(1);
    reply.next = () => listed(ok, { provisioningState: "Updating" }, failed("second"));
    const after = await bench.run(instances.list(SCALE_SET, { maxAgeMs: 0 }));
    expect(after).not.toBe(before);
    expect(after[0]).toBe(before[0]);
    expect(after[1]?.provisioningState).toBe("Updating");
    expect(after[2]?.error?.message).toContain("second");
  });

  test("are listed again for a caller that must see a write after the start of the list", async () => {
    const { bench, instances } = create();
    const early = instances.list(SCALE_SET, { maxAgeMs: 0 });
    await bench.scheduler.advance(1);
    const late = instances.list(SCALE_SET, { maxAgeMs: 0 });
    await bench.run(Promise.all([early, late]));
    expect(bench.requests).toHaveLength(2);
  });

  test("are listed again after a write", async () => {
    const { bench, instances } = create();
    await bench.run(instances.list(SCALE_SET, { maxAgeMs: 0 }));
    instances.forget(SCALE_SET);
    await bench.run(instances.list(SCALE_SET, { maxAgeMs: Infinity }));
    expect(bench.requests).toHaveLength(2);
  });

  test("are not cached from a list that ran during the write", async () => {
    const { bench, instances } = create();
    const flying = instances.list(SCALE_SET, { maxAgeMs: 0 });
    instances.forget(SCALE_SET);
    await bench.run(flying);
    await bench.run(instances.list(SCALE_SET, { maxAgeMs: Infinity }));
    expect(bench.requests).toHaveLength(2);
  });

  test("are not cached from a list that failed", async () => {
    const { bench, instances, reply } = create();
    reply.next = () => answer(503);
    const asked = [1, 2].map(() => instances.list(SCALE_SET, { maxAgeMs: Infinity }).catch(() => "failed"));
    expect(await bench.run(Promise.all(asked))).toEqual(["failed", "failed"]);
    reply.next = () => page([1]);
    expect(await bench.run(instances.list(SCALE_SET, { maxAgeMs: Infinity }))).toHaveLength(1);
  });

  test("are charged as much as the last time, for all pages", async () => {
    const { bench, instances, reply } = create();
    let number = 0;
    reply.next = () =>
      number++ % 10 === 9 ? page([1]) : page([1], `${ENDPOINT}${SCALE_SET}/virtualMachines?${number}`);
    await bench.run(instances.list(SCALE_SET, { maxAgeMs: 0 }));
    expect(bench.requests).toHaveLength(10);
    await bench.run(instances.list(SCALE_SET, { maxAgeMs: 0 }));
    const third = await bench.failure(instances.list(SCALE_SET, { maxAgeMs: 0 }));
    expect(third).toMatchObject({ code: "RequestBudgetUsedUp" });
    expect(bench.requests).toHaveLength(20);
  });
});
