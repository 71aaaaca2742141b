import type { Handler, HttpRequest, HttpResponse } from "@capstan/env";
import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { json, page, plain, queryOf, status, stream } from "../answers.fixture.ts";
import type { Failure } from "../failure.ts";
import { TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import type { Client, WatchEvent } from "./client.ts";

const a = { name: "a", namespace: "default" };
const path = "/apis/test.capstan.dev/v1/namespaces/default/boats";

/** A client of a server that always gives this answer. */
function answered(answer: HttpResponse | (() => Promise<HttpResponse>)) {
  const testServer = new TestServer();
  const handler: Handler = typeof answer === "function" ? answer : () => Promise.resolve(answer);
  return { testServer, ...testServer.connect("capstan", { handler }) };
}

/** The request that a call sends. */
async function sent(call: (client: Client) => Promise<unknown>): Promise<HttpRequest> {
  const { testServer, client, requests } = answered(json(200, {}));
  await testServer.run(call(client));
  expect(requests).toHaveLength(1);
  return requests[0] as HttpRequest;
}

const failed = (
  answer: HttpResponse | (() => Promise<HttpResponse>),
  call: (client: Client) => Promise<unknown>,
) => {
  const { testServer, client } = answered(answer);
  return testServer.failure(call(client)) as Promise<Failure>;
};

describe("each call makes one request", () => {
  const { apiVersion, kind } = TestObject;
  const bare = { metadata: a, spec: { sails: 1 } };

  test.each<[string, (client: Client) => Promise<unknown>, Partial<HttpRequest> & { type?: string }]>([
    ["get", (client) => client.get(TestObject, a), { method: "GET", path: `${path}/a` }],
    [
      "create",
      (client) => client.create(TestObject, bare),
      { method: "POST", path, body: { ...bare, apiVersion, kind }, type: "application/json" },
    ],
    [
      "create as a rehearsal",
      (client) => client.create(TestObject, bare, { dryRun: true }),
      { method: "POST", path: `${path}?dryRun=All` },
    ],
    [
      "create of a subresource",
      (client) => client.create(TestObject, bare, { subresource: "eviction" }),
      { method: "POST", path: `${path}/a/eviction` },
    ],
    [
      "update",
      (client) => client.update(TestObject, bare),
      { method: "PUT", path: `${path}/a`, body: { ...bare, apiVersion, kind }, type: "application/json" },
    ],
    [
      "update of a status",
      (client) => client.update(TestObject, bare, { subresource: "status" }),
      { method: "PUT", path: `${path}/a/status` },
    ],
    [
      "merge patch",
      (client) => client.patch(TestObject, a, { type: "merge", body: { spec: null } }),
      {
        method: "PATCH",
        path: `${path}/a?fieldManager=capstan`,
        body: { spec: null },
        type: "application/merge-patch+json",
      },
    ],
    [
      "JSON patch of a status",
      (client) =>
        client.patch(TestObject, a, { type: "json", body: [{ op: "test" }], subresource: "status" }),
      {
        method: "PATCH",
        path: `${path}/a/status?fieldManager=capstan`,
        body: [{ op: "test" }],
        type: "application/json-patch+json",
      },
    ],
    [
      "forced apply as a rehearsal",
      (client) => client.patch(TestObject, a, { type: "apply", body: bare, force: true, dryRun: true }),
      {
        method: "PATCH",
        path: `${path}/a?fieldManager=capstan&force=true&dryRun=All`,
        type: "application/apply-patch+yaml",
      },
    ],
    [
      "delete",
      (client) => client.delete(TestObject, a),
      { method: "DELETE", path: `${path}/a`, body: { apiVersion: "v1", kind: "DeleteOptions" } },
    ],
    [
      "delete of one state of one object",
      (client) =>
        client.delete(TestObject, a, {
          uid: "u",
          resourceVersion: "5",
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
        }),
      {
        method: "DELETE",
        path: `${path}/a`,
        body: {
          apiVersion: "v1",
          kind: "DeleteOptions",
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
          preconditions: { uid: "u", resourceVersion: "5" },
        },
        type: "application/json",
      },
    ],
  ])("%s", async (_, call, { type, ...desired }) => {
    const request = await sent(call);
    expect(request).toMatchObject(desired);
    expect(request.headers).toMatchObject({ accept: "application/json", "user-agent": "capstan" });
    if (type !== undefined) expect(request.headers["content-type"]).toBe(type);
  });

  test("and none when it is refused", async () => {
    const { testServer, client, requests } = answered(status(500, { reason: "InternalError" }));
    await testServer.failure(client.get(TestObject, a));
    await testServer.scheduler.advance(3600_000);
    expect(requests, "the queue decides about retries, not the client").toHaveLength(1);
  });
});

describe("reading", () => {
  test("finds undefined for a missing object, and fails for a missing kind", async () => {
    const testServer = new TestServer();
    expect(await testServer.run(testServer.client.find(TestObject, a))).toBeUndefined();
    const missing = { ...TestObject, plural: "submarines", kind: "Submarine" };
    const failure = (await testServer.failure(testServer.client.find(missing, a))) as Failure;
    expect(failure).toMatchObject({ failure: "Transient", reason: "KindNotServed" });
    expect(failure.message).toContain("submarines");
    expect(failure.message).toContain("is its CustomResourceDefinition installed?");
  });

  test("lists all pages with the selectors on each", async () => {
    const testServer = new TestServer();
    const { client, requests } = testServer.connect("capstan", {
      handler: async (request) => {
        const from = queryOf(request).get("continue") ?? "0";
        return page([testObject(`b${from}`)], "7", from === "2" ? undefined : String(Number(from) + 1));
      },
    });
    const testObjects = await testServer.run(
      client.list(TestObject, { namespace: "north", labelSelector: "a=b" }),
    );
    expect(testObjects.map(({ metadata }) => metadata.name)).toEqual(["b0", "b1", "b2"]);
    expect(requests.map((request) => queryOf(request).toString())).toEqual([
      "labelSelector=a%3Db&limit=500",
      "labelSelector=a%3Db&limit=500&continue=1",
      "labelSelector=a%3Db&limit=500&continue=2",
    ]);
  });

  test("fails as a whole when a page in the middle fails", async () => {
    let pages = 0;
    const failure = await failed(
      async () => {
        pages++;
        if (pages === 2) throw new TransportError("reset", "the connection broke");
        return page([testObject("a")], "7", "more");
      },
      (client) => client.list(TestObject),
    );
    expect(failure).toMatchObject({ failure: "Transient", reason: "ServerUnreachable" });
  });

  test.each<[string, string, (page: number) => HttpResponse]>([
    ["2,000 pages", "it has over 2000 pages", (next) => page([], "7", String(next))],
    ["the same token twice", "the server gave the same continue token twice", () => page([], "7", "again")],
    [
      "500,000 objects",
      "it has over 500000 objects",
      (next) => page(Array<TestObject>(300_000).fill(testObject("a")), "7", String(next)),
    ],
  ])("gives up a list after %s", async (_, why, answer) => {
    let pages = 0;
    const failure = await failed(
      () => Promise.resolve(answer(++pages)),
      (client) => client.list(TestObject),
    );
    expect(failure).toMatchObject({
      failure: "Transient",
      reason: "ListTooLong",
      message: `The list of boats.test.capstan.dev was given up: ${why}`,
    });
  });

  test("takes null for an empty list", async () => {
    const { testServer, client } = answered(json(200, { metadata: { resourceVersion: "7" }, items: null }));
    expect(await testServer.run(client.list(TestObject))).toEqual([]);
  });

  test("takes an empty token for the last page", async () => {
    const { testServer, client } = answered(
      json(200, { metadata: { resourceVersion: "7", continue: "" }, items: [] }),
    );
    expect(await testServer.run(client.page(TestObject, {}))).toEqual({ items: [], resourceVersion: "7" });
  });
});

describe("a request that goes wrong", () => {
  test("without an answer ends after a minute, with that reason", async () => {
    const { testServer, client, requests } = answered(() => new Promise(() => undefined));
    const failure = (await testServer.failure(client.get(TestObject, a))) as Failure;
    expect(testServer.scheduler.monotonicMs).toBe(60_000);
    expect(failure).toMatchObject({ failure: "Transient", reason: "RequestTimeout", outcomeUnknown: true });
    expect(failure.message).toBe(`GET ${path}/a: no answer within 60 s`);
    expect(requests[0]?.signal?.aborted, "the connection is closed").toBe(true);
  });

  test("leaves no timer behind when it is answered", async () => {
    const { testServer, client } = answered(json(200, testObject("a")));
    await testServer.run(client.get(TestObject, a));
    await testServer.scheduler.run();
    expect(testServer.scheduler.monotonicMs).toBeLessThan(1000);
  });

  test("with HTML instead of JSON is a failure with a message, not a bug", async () => {
    const failure = await failed(plain(200, "<html>Please log in</html>"), (client) =>
      client.get(TestObject, a),
    );
    expect(failure).toMatchObject({ failure: "Transient", reason: "UnreadableAnswer" });
    expect(failure.message).toContain(`GET ${path}/a: the answer is not JSON`);
  });

  test("because the answer is too long is transient, and may have taken effect", async () => {
    const failure = await failed(
      () => Promise.reject(new TransportError("oversized", "too many bytes")),
      (client) => client.get(TestObject, a),
    );
    expect(failure).toMatchObject({ failure: "Transient", reason: "AnswerTooLarge", outcomeUnknown: true });
  });

  test("names the request without its parameters", async () => {
    const failure = await failed(status(403, { reason: "Forbidden", message: "no" }), (client) =>
      client.patch(TestObject, a, { type: "merge", body: {} }),
    );
    expect(failure.message).toBe(`PATCH ${path}/a: no`);
  });

  test("because the object is over 1.5 MiB is Terminal", async () => {
    const testServer = new TestServer();
    const failure = (await testServer.failure(
      testServer.client.create(
        TestObject,
        testObject("a", { spec: { cargo: "x".repeat(1.6 * 1024 * 1024) } }),
      ),
    )) as Failure;
    expect(failure).toMatchObject({ failure: "Terminal" });
    expect(failure.message).toContain("request is too large");
  });

  test("reports every answer to the counter, also errors", async () => {
    const seen: string[] = [];
    const { createClient } = await import("./client.ts");
    const testServer = new TestServer();
    const { process } = testServer.connect("capstan");
    const client = createClient({
      transport: process.connect(testServer.server),
      env: process,
      fieldManager: "capstan",
      onAnswer: (method, code) => void seen.push(`${method} ${code}`),
    });
    await testServer.run(client.create(TestObject, testObject("a")));
    await testServer.failure(client.create(TestObject, testObject("a")));
    await testServer.run(client.find(TestObject, { ...a, name: "b" }));
    expect(seen).toEqual(["POST 201", "POST 409", "GET 404"]);
  });
});

describe("a watch", () => {
  const signal = new AbortController().signal;
  const options = { resourceVersion: "5", timeoutSeconds: 300, signal };

  async function collect(client: Client): Promise<WatchEvent<TestObject>[]> {
    const events: WatchEvent<TestObject>[] = [];
    for await (const event of client.watch(TestObject, {
      ...options,
      namespace: "default",
      labelSelector: "a=b",
    }))
      events.push(event);
    return events;
  }

  test("asks for bookmarks, for a version and for an end", async () => {
    const { testServer, client, requests } = answered(stream([], "ends"));
    await testServer.run(collect(client));
    expect(requests[0]?.path.split("?")[0]).toBe(path);
    expect(Object.fromEntries(queryOf(requests[0] as HttpRequest))).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: "5",
      timeoutSeconds: "300",
      labelSelector: "a=b",
    });
  });

  test("gives the events and ends with the stream", async () => {
    const lines = [
      { type: "ADDED", object: testObject("a") },
      { type: "BOOKMARK", object: testObject("") },
    ];
    const { testServer, client } = answered(stream(lines, "ends"));
    expect(await testServer.run(collect(client))).toEqual(lines);
  });

  test.each<[string, HttpResponse | (() => Promise<HttpResponse>), object]>([
    [
      "an answer that is an error",
      status(403, { reason: "Forbidden" }),
      { failure: "Transient", reason: "Forbidden" },
    ],
    [
      "an ERROR in the stream",
      stream([{ type: "ERROR", object: { code: 410, reason: "Expired", message: "too old" } }]),
      { failure: "Transient", reason: "Expired", message: `WATCH ${path}: too old` },
    ],
    [
      "a stream that breaks",
      stream([], new TransportError("reset", "the connection broke")),
      { failure: "Transient", reason: "ServerUnreachable" },
    ],
    [
      "a line that is not JSON",
      stream([], new SyntaxError("Unexpected token <")),
      { failure: "Transient", reason: "UnreadableAnswer" },
    ],
  ])("fails with %s", async (_, answer, desired) => {
    expect(await failed(answer, collect)).toMatchObject(desired);
  });

  test("has no limit of a minute", async () => {
    const { testServer, client, requests } = answered(stream([]));
    void collect(client);
    await testServer.scheduler.advance(600_000);
    expect(requests[0]?.signal?.aborted).toBe(false);
  });
});
