import { Event, type Frozen } from "@capstan/api";
import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import {
  TestObject,
  testObject,
  TestServer,
  keepingLogger,
  type Line,
  Port,
} from "../test-server.fixture.ts";
import { createEventRecorder, type EventNote } from "./recorder.ts";

const MINUTE = 60_000;
const launched: EventNote = { type: "Normal", reason: "Launched", message: "She floats" };

function recorderIn(
  testServer: TestServer,
  name = "capstan",
  link: Parameters<TestServer["connect"]>[1] = {},
) {
  const { process, client, requests } = testServer.connect(name, link);
  const lines: Line[] = [];
  const recorder = createEventRecorder({
    client,
    env: process,
    log: keepingLogger(lines),
    component: "capstan",
  });
  return { recorder, requests, lines };
}

async function stored(testServer: TestServer, name = "a"): Promise<Frozen<TestObject>> {
  return testServer.run(testServer.client.create(TestObject, testObject(name)));
}

const events = (testServer: TestServer): Promise<readonly Frozen<Event>[]> =>
  testServer.run(testServer.client.list(Event));
const counts = async (testServer: TestServer): Promise<string[]> =>
  (await events(testServer)).map(({ reason, message, count }) => `${reason} ${message} ${count}`).sort();

describe("an event", () => {
  test("has the message and the object where kubectl describe looks for them", async () => {
    const testServer = new TestServer();
    const object = await stored(testServer);
    const { recorder } = recorderIn(testServer);
    recorder.record(object, launched);
    await testServer.run(recorder.flush());
    const [event] = await events(testServer);
    expect(event).toMatchObject({
      metadata: { namespace: "default" },
      involvedObject: {
        apiVersion: "test.capstan.dev/v1",
        kind: "Boat",
        name: "a",
        namespace: "default",
        uid: object.metadata.uid,
        resourceVersion: object.metadata.resourceVersion,
      },
      ...launched,
      source: { component: "capstan" },
      reportingComponent: "capstan",
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      count: 1,
    });
  });

  test("about an object of the cluster is stored in default, and names an object without a namespace", async () => {
    const testServer = new TestServer();
    const port = await testServer.run(testServer.client.create(Port, { metadata: { name: "rotterdam" } }));
    const { recorder } = recorderIn(testServer);
    recorder.record(port, launched);
    await testServer.run(recorder.flush());
    const [event] = await events(testServer);
    expect(event?.metadata.namespace).toBe("default");
    // kubectl describe queries `involvedObject.namespace=`, so "default" here would hide the event.
    expect(event?.involvedObject.namespace).toBeUndefined();
    expect(event?.involvedObject.name).toBe("rotterdam");
  });

  test("does not block its caller", async () => {
    const testServer = new TestServer();
    const object = await stored(testServer);
    const { recorder, requests } = recorderIn(testServer);
    recorder.record(object, launched);
    expect(requests).toEqual([]);
    expect(testServer.scheduler.monotonicMs).toBeLessThan(10);
    await testServer.run(recorder.flush());
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["letters only", "x".repeat(253)],
    ["a dash where it is cut", `${"x".repeat(235)}-${"y".repeat(17)}`],
    ["a dot where it is cut", `${"x".repeat(235)}.${"y".repeat(17)}`],
  ])("about an object with the longest possible name has a valid name: %s", async (_, name) => {
    const testServer = new TestServer();
    const object = await stored(testServer, name);
    const { recorder, lines } = recorderIn(testServer);
    recorder.record(object, launched);
    await testServer.run(recorder.flush());
    expect(lines).toEqual([]);
    const [event] = await events(testServer);
    expect(event?.involvedObject.name).toBe(name);
    expect(event?.metadata.name.length).toBeLessThanOrEqual(253);
  });
});

describe("the same event", () => {
  test("is written once in two minutes, and counted after that", async () => {
    const testServer = new TestServer();
    const object = await stored(testServer);
    const { recorder, requests } = recorderIn(testServer);
    for (let second = 0; second < 119; second++) {
      recorder.record(object, launched);
      await testServer.scheduler.advance(1000);
    }
    expect(requests).toHaveLength(1);
    await testServer.scheduler.advance(1000);
    recorder.record(object, launched);
    await testServer.run(recorder.flush());
    const [event, ...others] = await events(testServer);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      count: 2,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:02:00Z",
    });
  });

  test("is another one when reason, message, type or object differ", async () => {
    const testServer = new TestServer();
    const [a, b] = [await stored(testServer), await stored(testServer, "b")];
    const { recorder } = recorderIn(testServer);
    for (const note of [
      launched,
      { ...launched, reason: "Sunk" },
      { ...launched, message: "Again" },
      { ...launched, type: "Warning" as const },
    ]) {
      recorder.record(a, note);
      recorder.record(b, note);
    }
    await testServer.run(recorder.flush());
    expect(await events(testServer)).toHaveLength(8);
  });

  test("is counted after a restart instead of written twice", async () => {
    const testServer = new TestServer();
    const object = await stored(testServer);
    for (const life of ["first", "second", "third"]) {
      const { recorder } = recorderIn(testServer, life);
      recorder.record(object, launched);
      await testServer.run(recorder.flush());
    }
    expect(await counts(testServer)).toEqual(["Launched She floats 3"]);
  });

  test("about a recreated object is a new one", async () => {
    const testServer = new TestServer();
    const object = await stored(testServer);
    const { recorder } = recorderIn(testServer);
    recorder.record(object, launched);
    await testServer.run(testServer.client.delete(TestObject, { name: "a", namespace: "default" }));
    recorder.record(await stored(testServer), launched);
    await testServer.run(recorder.flush());
    expect(await counts(testServer)).toEqual(["Launched She floats 1", "Launched She floats 1"]);
  });

  test("uses the monotonic clock: a jump of the wall clock neither hides nor repeats it", async () => {
    const testServer = new TestServer();
    const object = await stored(testServer);
    const { recorder, requests } = recorderIn(testServer);
    recorder.record(object, launched);
    testServer.scheduler.jumpWallClock(365 * 24 * 60 * MINUTE);
    recorder.record(object, launched);
    testServer.scheduler.jumpWallClock(-2 * 365 * 24 * 60 * MINUTE);
    recorder.record(object, launched);
    await testServer.run(recorder.flush());
    expect(requests).toHaveLength(1);
    await testServer.scheduler.advance(2 * MINUTE);
    recorder.record(object, launched);
    await testServer.run(recorder.flush());
    expect(await counts(testServer)).toEqual(["Launched She floats 2"]);
  });
});

describe("a storm of events", () => {
  test("is cut at a thousand pending events, with a warning", async () => {
    const testServer = new TestServer();
    const object = await stored(testServer);
    const { recorder, requests, lines } = recorderIn(testServer);
    for (let event = 0; event < 1200; event++)
      recorder.record(object, { ...launched, message: `number ${event}` });
    await testServer.run(recorder.flush());
    expect(requests).toHaveLength(1000);
    expect(lines).toHaveLength(200);
    expect(lines[0]).toMatchObject({ level: "warn", message: "Dropping an event, too many are waiting" });
    recorder.record(object, { ...launched, message: "afterwards" });
    await testServer.run(recorder.flush());
    expect(requests).toHaveLength(1001);
  });

  test("continues after an event that could not be written", async () => {
    const testServer = new TestServer();
    const object = await stored(testServer);
    let writes = 0;
    const { recorder, lines } = recorderIn(testServer, "capstan", {
      fate: () => (++writes === 1 ? new TransportError("reset", "the connection broke") : "deliver"),
    });
    recorder.record(object, { ...launched, message: "lost" });
    recorder.record(object, { ...launched, message: "kept" });
    await testServer.run(recorder.flush());
    expect(await counts(testServer)).toEqual(["Launched kept 1"]);
    expect(lines.map(({ message }) => message)).toEqual(["Event could not be written"]);
  });
});
