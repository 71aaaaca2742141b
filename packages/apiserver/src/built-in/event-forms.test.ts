import { describe, expect, test } from "vitest";
import { TestClient, takeLines } from "../testing.ts";
import { builtInKinds } from "./kinds.ts";

const OLDER = "/api/v1/namespaces/default/events";
const NEWER = "/apis/events.k8s.io/v1/namespaces/default/events";
const TIME = "2026-01-01T00:00:00.000000Z";
const newClient = (): TestClient => new TestClient({ kinds: builtInKinds });

const event = {
  metadata: { name: "e" },
  eventTime: TIME,
  regarding: { kind: "Pod", name: "p", namespace: "default" },
  reportingController: "example.com/boat",
  reportingInstance: "boat-1",
  action: "Sail",
  reason: "Wind",
  type: "Normal",
  note: "It goes.",
};

describe("an event in two groups", () => {
  test("is written in the newer form and read in the older one", async () => {
    const client = newClient();
    const created = await client.create(NEWER, event);
    expect(created.body).toMatchObject({ apiVersion: "events.k8s.io/v1", ...event });
    expect((await client.get(`${OLDER}/e`)).body).toMatchObject({
      apiVersion: "v1",
      involvedObject: event.regarding,
      reportingComponent: event.reportingController,
      message: event.note,
    });
    expect((await client.get(NEWER)).body.items).toMatchObject([event]);
  });

  test("is written in the older form and read in the newer one", async () => {
    const client = newClient();
    await client.create(OLDER, {
      metadata: { name: "e" },
      involvedObject: { kind: "Node", name: "n" },
      message: "It goes.",
      source: { component: "boat" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:01Z",
      count: 2,
    });
    const { body } = await client.get(`${NEWER}/e`);
    expect(body).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding: { kind: "Node", name: "n" },
      note: "It goes.",
      deprecatedSource: { component: "boat" },
      deprecatedFirstTimestamp: "2026-01-01T00:00:00Z",
      deprecatedLastTimestamp: "2026-01-01T00:00:01Z",
      deprecatedCount: 2,
    });
    for (const field of ["involvedObject", "message", "count"]) expect(body).not.toHaveProperty(field);
  });

  test("is watched and changed in either form", async () => {
    const client = newClient();
    const watch = await client.watch(OLDER);
    await client.create(NEWER, event);
    const series = { count: 2, lastObservedTime: TIME };
    expect((await client.merge(`${NEWER}/e`, { series })).body).toMatchObject({ series, note: "It goes." });
    await client.delete(`${NEWER}/e`);
    expect(await takeLines(watch, 3)).toEqual(["ADDED e", "MODIFIED e", "DELETED e"]);
  });

  test("a write that changes nothing writes nothing", async () => {
    const client = newClient();
    const { body } = await client.create(NEWER, event);
    const again = await client.merge(`${NEWER}/e`, { note: "It goes." });
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test.each<[object, string]>([
    [
      { eventTime: null, type: "" },
      '[eventTime: Required value, type: Invalid value: "": has invalid value: ]',
    ],
    [{ deprecatedCount: 1 }, 'count: Invalid value: "": needs to be unset'],
    [{ series: { count: 1 } }, 'series.count: Invalid value: "": should be at least 2'],
    [{ reportingInstance: "" }, "reportingInstance: Required value"],
  ])("in the newer form %j is refused", async (change, problem) => {
    const { status, body } = await newClient().create(NEWER, { ...event, ...change });
    expect([status, body.reason]).toEqual([422, "Invalid"]);
    expect(body.message).toContain(problem);
  });

  test("in the newer form the message cannot be changed", async () => {
    const client = newClient();
    await client.create(NEWER, event);
    const { body } = await client.merge(`${NEWER}/e`, { note: "It stands." });
    expect(body.message).toContain('message: Invalid value: "It stands.": field is immutable');
  });
});
