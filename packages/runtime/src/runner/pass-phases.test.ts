import { type Condition, getCondition } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { waiting } from "../failure.ts";
import { again, next } from "../reconciler/outcome.ts";
import {
  type Context,
  defineReconciler,
  type Phase,
  type ReconcilerDefinition,
} from "../reconciler/reconciler.ts";
import { TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import { startManager } from "./manager.fixture.ts";

const SECOND = 1000;
const a = { name: "a", namespace: "default" };

type Definition = Partial<ReconcilerDefinition<TestObject, Context<TestObject>>>;

/** One object under a manager, and the phases that ran. */
async function managed(definition: (ran: string[]) => Definition, metadata: object = {}) {
  const testServer = new TestServer();
  const ran: string[] = [];
  const reconciler = defineReconciler<TestObject, Context<TestObject>>({
    name: "objects",
    for: TestObject,
    finalizer: "test/f",
    scope: (context) => context,
    normal: [],
    ...definition(ran),
  });
  await testServer.run(testServer.client.create(TestObject, testObject("a", { metadata })));
  const manager = startManager(testServer, [reconciler]);
  await testServer.scheduler.advance(SECOND);
  const patch = async (body: object): Promise<void> => {
    await testServer.run(testServer.client.patch(TestObject, a, { type: "merge", body }));
    await testServer.scheduler.advance(SECOND);
  };
  const condition = async (type: string): Promise<Condition | undefined> => {
    const object = await testServer.run(testServer.client.get(TestObject, a));
    return getCondition(object.status?.conditions, type);
  };
  return { testServer, manager, ran, patch, condition };
}

const phase =
  (ran: string[], name: string): Phase<unknown> =>
  () => {
    ran.push(name);
    return next;
  };
const paused = (value: string | null): object => ({
  metadata: { annotations: { "cluster.x-k8s.io/paused": value } },
});

describe("phases", () => {
  test("that always run come before the normal and before the deleting ones", async () => {
    const { testServer, ran } = await managed((names) => ({
      always: [phase(names, "always")],
      normal: [phase(names, "normal")],
      deleting: [phase(names, "deleting")],
    }));
    expect(ran).toEqual(["always", "normal"]);
    await testServer.run(testServer.client.delete(TestObject, a));
    await testServer.scheduler.advance(SECOND);
    expect(ran).toEqual(["always", "normal", "always", "deleting"]);
  });

  test("for a paused object run alone while it is paused, and may ask for a requeue", async () => {
    const metadata = { annotations: { "cluster.x-k8s.io/paused": "" } };
    const { testServer, ran, patch, condition } = await managed(
      (names) => ({
        always: [phase(names, "always")],
        normal: [phase(names, "normal")],
        whilePaused: [
          () => {
            names.push("paused");
            return again(30 * SECOND, "StartingDonor");
          },
        ],
      }),
      metadata,
    );
    expect(ran).toEqual(["paused"]);
    expect(await condition("Paused")).toMatchObject({ status: "True" });
    await testServer.scheduler.advance(30 * SECOND);
    expect(ran).toEqual(["paused", "paused"]);
    await patch(paused(null));
    expect(ran).toEqual(["paused", "paused", "always", "normal"]);
    expect(await condition("Paused")).toMatchObject({ status: "False", reason: "NotPaused" });
  });
});

describe("the Paused condition", () => {
  const failing: Phase<unknown> = () => {
    throw waiting("WaitingForTide", "The tide is low");
  };

  test("is reported for an object that never was paused only if the reconciler says so", async () => {
    const { condition } = await managed(() => ({}));
    expect(await condition("Paused")).toBeUndefined();
    const { condition: always, manager } = await managed(() => ({ alwaysReportsPaused: true }));
    expect(await always("Paused")).toMatchObject({ status: "False", reason: "NotPaused" });
    const statusWrites = manager.writes.filter((write) => write.includes("/status"));
    expect(statusWrites, "the condition is part of the first status").toHaveLength(1);
  });

  test("is reported by a pass that fails", async () => {
    const { condition } = await managed(() => ({ alwaysReportsPaused: true, normal: [failing] }));
    expect(await condition("Ready")).toMatchObject({ reason: "WaitingForTide" });
    expect(await condition("Paused")).toMatchObject({ status: "False", reason: "NotPaused" });
  });

  test("becomes False after a pause although the first pass fails", async () => {
    const metadata = { annotations: { "cluster.x-k8s.io/paused": "" } };
    const { condition, patch } = await managed(() => ({ normal: [failing] }), metadata);
    expect(await condition("Paused")).toMatchObject({ status: "True", reason: "Paused" });
    await patch(paused(null));
    expect(await condition("Paused")).toMatchObject({ status: "False", reason: "NotPaused" });
  });
});

describe("the Ready condition", () => {
  test("comes from the runner unless the reconciler claims it", async () => {
    const { condition } = await managed(() => ({ normal: [() => again(SECOND, "Waiting")] }));
    expect(await condition("Ready")).toMatchObject({ status: "False", reason: "Waiting" });
  });

  test("is not written when the reconciler claims it, so that its transition time stays", async () => {
    const { testServer, manager, patch, condition } = await managed(() => ({
      normal: [() => again(60 * SECOND, "Polling")],
      status: (context, { claimReady }) => {
        context.setCondition({ type: "Ready", status: "True", reason: "AllReady" });
        claimReady();
      },
    }));
    const before = await condition("Ready");
    expect(before).toMatchObject({ status: "True", reason: "AllReady" });
    const writes = manager.writes.length;
    await testServer.scheduler.advance(90 * SECOND);
    await patch({ spec: { x: 1 } });
    expect(await condition("Ready")).toEqual(before);
    expect(manager.writes.length - writes, "nothing has changed, so nothing is written").toBe(0);
  });
});
