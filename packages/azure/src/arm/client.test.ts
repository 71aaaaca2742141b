import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { answer, Bench, ENDPOINT, SCALE_SET, staticTokens, SUBSCRIPTION } from "../azure.fixture.ts";
import { AzureError } from "../port.ts";

const INSTANCES = `${SCALE_SET}/virtualMachines`;
const OPERATION = `${ENDPOINT}/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Compute/locations/westus/operations/1?api-version=x&t=${"s".repeat(4000)}`;

describe("a call", () => {
  test("carries version, token and its own id, and no other header", async () => {
    const bench = new Bench(() => answer(200, { id: SCALE_SET }));
    await bench.run(bench.arm().get(SCALE_SET, { query: { $filter: "location eq 'a+b'" } }));
    const [request] = bench.requests;
    expect(request?.path).toBe(`${SCALE_SET}?%24filter=location%20eq%20%27a%2Bb%27&api-version=2024-07-01`);
    expect(request?.headers).toEqual({
      accept: "application/json",
      authorization: "Bearer token-of-the-test",
      "user-agent": "capstan",
      "x-ms-client-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });

  test("returns the body unchanged, with every field and every digit", async () => {
    const text = '{"etag":"\\"1\\"","properties":{"new":{"deep":[1,2.5,9007199254740993]},"none":null}}';
    const bench = new Bench(() => answer(200, text));
    const { body, etag } = await bench.run(bench.arm().get(SCALE_SET));
    expect(JSON.stringify(body)).toBe(text);
    expect(etag).toBe('"1"');
  });

  test("sends the body with its precondition", async () => {
    const bench = new Bench(() => answer(200, {}));
    const arm = bench.arm();
    await bench.run(arm.put(SCALE_SET, { tags: { a: "b" } }, { ifMatch: '"7"' }));
    await bench.run(arm.put(SCALE_SET, {}, { ifNoneMatch: "*" }));
    expect(
      bench.requests.map(({ method, body, headers }) => [
        method,
        body,
        headers["if-match"],
        headers["if-none-match"],
      ]),
    ).toEqual([
      ["PUT", '{"tags":{"a":"b"}}', '"7"', undefined],
      ["PUT", "{}", undefined, "*"],
    ]);
  });

  test("returns the URL of the operation", async () => {
    const accepted = [
      answer(201, { name: "pool" }, { "azure-asyncoperation": OPERATION, "retry-after": "10" }),
      answer(202, undefined, { location: OPERATION }),
      answer(201, { name: "pool" }, { location: "https://elsewhere" }),
    ];
    const bench = new Bench(() => accepted.shift() ?? answer(500));
    const arm = bench.arm();
    const results = [];
    for (let count = 0; count < 3; count++) results.push(await bench.run(arm.put(SCALE_SET, {})));
    expect(results.map(({ operationUrl, retryAfterMs }) => [operationUrl, retryAfterMs])).toEqual([
      [OPERATION, 10_000],
      [OPERATION, undefined],
      [undefined, undefined],
    ]);
  });

  test("fails with Azure's error", async () => {
    const body = {
      error: {
        code: "InvalidParameter",
        message: "no",
        target: "sku",
        details: [{ code: "Inner", message: "i" }],
      },
    };
    const headers = { "x-ms-request-id": "r1", "x-ms-correlation-request-id": "c1", "retry-after": "3" };
    const bench = new Bench(() => answer(400, body, headers));
    expect(await bench.failure(bench.arm().put(SCALE_SET, {}))).toMatchObject({
      class: "Terminal",
      code: "InvalidParameter",
      message: "no",
      target: "sku",
      details: [{ code: "Inner", message: "i" }],
      status: 400,
      requestId: "r1",
      correlationId: "c1",
      retryAfterMs: 3000,
    });
    expect(bench.requests).toHaveLength(1);
  });

  test("without an answer in time fails with an unknown outcome", async () => {
    const bench = new Bench(() => new Promise(() => undefined));
    const error = await bench.failure(bench.arm().put(SCALE_SET, {}));
    expect(error).toMatchObject({ class: "Transient", code: "RequestTimedOut", isOutcomeUnknown: true });
    expect(bench.scheduler.monotonicMs).toBe(90_000);
  });

  test("leaves no timer behind", async () => {
    const bench = new Bench(() => answer(200, {}));
    await bench.run(bench.arm().get(SCALE_SET));
    await bench.scheduler.run();
    expect(bench.scheduler.monotonicMs).toBeLessThan(100);
  });

  test.each([
    ["reset", true],
    ["refused", false],
  ] as const)(
    "over a connection that is %s fails without an answer (done: %s)",
    async (failure, isOutcomeUnknown) => {
      const bench = new Bench(() => answer(200, {}));
      const link = { fate: () => new TransportError(failure, "no way") };
      const error = await bench.failure(bench.arm({ link }).put(SCALE_SET, {}));
      expect(error).toMatchObject({ class: "Transient", code: "AzureUnreachable", isOutcomeUnknown });
    },
  );

  test("that its caller aborts ends with the caller's reason", async () => {
    const bench = new Bench(() => new Promise(() => undefined));
    const stop = new AbortController();
    bench.scheduler.schedule(50, "stop", () => stop.abort(new Error("shutting down")));
    const error = await bench.failure(bench.arm().get(SCALE_SET, { signal: stop.signal }));
    expect(error).toEqual(new Error("shutting down"));
  });

  test.each([
    ["no JSON", answer(200, "<html>")],
    ["no object", answer(200, "[]")],
    [
      "far too long",
      { ...answer(200, {}), text: () => Promise.reject(new TransportError("oversized", "too many bytes")) },
    ],
  ])("refuses an answer that is %s", async (_, wrong) => {
    const bench = new Bench(() => wrong);
    expect(await bench.failure(bench.arm().get(SCALE_SET))).toMatchObject({ code: "UnreadableAnswer" });
  });

  test("requests a new token after Azure rejects one", async () => {
    const bench = new Bench(() =>
      answer(401, { error: { code: "ExpiredAuthenticationToken", message: "old" } }),
    );
    const tokens = staticTokens();
    expect(await bench.failure(bench.arm({ tokens }).get(SCALE_SET))).toMatchObject({
      class: "Auth",
      status: 401,
    });
    expect(tokens.forgotten).toBe(1);
  });

  test("to an unknown provider needs an api-version", async () => {
    const bench = new Bench(() => answer(200, {}));
    const path = `/subscriptions/${SUBSCRIPTION}/resourceGroups/rg/providers/Contoso.Odd/things/t`;
    expect(await bench.failure(bench.arm().get(path))).toMatchObject({ code: "MissingApiVersionParameter" });
    await bench.run(bench.arm().get(path, { apiVersion: "2020-01-01" }));
    expect(bench.requests[0]?.path).toContain("api-version=2020-01-01");
  });

  test("is counted, and not sent when Azure would refuse it", async () => {
    const bench = new Bench(() => answer(200, { value: [] }));
    const arm = bench.arm();
    const sweep = async (): Promise<unknown> => arm.list(INSTANCES).catch((error: unknown) => error);
    const results = [];
    for (let count = 0; count < 25; count++) results.push(await bench.run(sweep()));
    const held = results.filter((result) => result instanceof AzureError);
    expect(held[0]).toMatchObject({
      class: "Throttled",
      code: "RequestBudgetUsedUp",
      target: "HighCostGetVMScaleSetResource",
    });
    expect(bench.meter.counts()).toEqual([
      {
        operation: "LIST virtualMachineScaleSets/virtualMachines",
        controller: "test",
        outcome: "held",
        calls: held.length,
      },
      {
        operation: "LIST virtualMachineScaleSets/virtualMachines",
        controller: "test",
        outcome: "ok",
        calls: 25 - held.length,
      },
    ]);
    expect(bench.meter.sent).toBe(bench.requests.length);
  });
});

describe("a list", () => {
  const page = (from: number, next?: string): ReturnType<typeof answer> =>
    answer(200, { value: [{ n: from }, { n: from + 1 }], ...(next !== undefined && { nextLink: next }) });

  test("has the items of all pages", async () => {
    const pages = [
      page(1, `${ENDPOINT}${INSTANCES}?api-version=x&$skiptoken=2`),
      page(3, `https://westus.management.azure.com${INSTANCES}?$skiptoken=3`),
      page(5),
    ];
    const bench = new Bench(() => pages.shift() ?? answer(500));
    const { items, pages: count } = await bench.run(bench.arm().list(INSTANCES));
    expect(items.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(count).toBe(3);
    expect(bench.requests[1]?.path).toBe(`${INSTANCES}?api-version=x&$skiptoken=2`);
  });

  test("that fails midway returns nothing", async () => {
    const pages = [page(1, `${ENDPOINT}${INSTANCES}?2`), answer(503)];
    const bench = new Bench(() => pages.shift() ?? answer(500));
    expect(await bench.failure(bench.arm().list(INSTANCES))).toMatchObject({
      class: "Transient",
      status: 503,
    });
  });

  test.each([
    `https://evil.example${INSTANCES}`,
    `https://management.azure.com.evil.example/`,
    "http://management.azure.com/",
    "nowhere",
  ])("does not send the token to %s", async (link) => {
    const bench = new Bench(() => page(1, link));
    expect(await bench.failure(bench.arm().list(INSTANCES))).toMatchObject({ code: "ForeignLink" });
    expect(bench.requests).toHaveLength(1);
  });

  test("whose pages repeat ends", async () => {
    const bench = new Bench(() => page(1, `${ENDPOINT}${INSTANCES}?same`));
    expect(await bench.failure(bench.arm().list(INSTANCES))).toMatchObject({ code: "UnreadableAnswer" });
  });

  test("that has more pages than expected is finished although sweeps must wait now", async () => {
    const link = `${ENDPOINT}${INSTANCES}?`;
    let pages: (string | undefined)[] = [];
    const bench = new Bench(() => page(1, pages.shift()));
    const arm = bench.arm();
    for (let count = 0; count < 22; count++) await bench.run(arm.list(INSTANCES));
    pages = [`${link}2`, `${link}3`];
    expect((await bench.run(arm.list(INSTANCES))).pages).toBe(3);
  });

  test("that has fewer pages than expected returns the unused tokens", async () => {
    const headers = {
      "x-ms-ratelimit-remaining-resource": "Microsoft.Compute/HighCostGetVMScaleSetResource;10",
    };
    const bench = new Bench(() => answer(200, { value: [] }, headers));
    const arm = bench.arm();
    await bench.run(arm.list(INSTANCES, { pages: 20 }));
    await bench.scheduler.advance(120_000);
    await bench.run(arm.list(INSTANCES));
    await bench.run(arm.list(INSTANCES));
    expect(bench.requests).toHaveLength(3);
  });

  test("is not started when the budget lacks the tokens for its last number of pages", async () => {
    const bench = new Bench(() => page(1));
    const arm = bench.arm();
    await bench.run(arm.list(INSTANCES, { pages: 20, instances: 2000 }));
    expect(await bench.failure(arm.list(INSTANCES, { pages: 20 }))).toMatchObject({
      code: "RequestBudgetUsedUp",
    });
    expect(bench.requests).toHaveLength(1);
  });
});

describe("other calls", () => {
  test("a delete of a missing resource succeeds", async () => {
    const bench = new Bench(() => answer(404, { error: { code: "ResourceNotFound", message: "gone" } }));
    expect(await bench.run(bench.arm().delete(SCALE_SET))).toEqual({ status: 204 });
  });

  test.each([
    [204, true],
    [404, false],
  ])("a head that is answered %i says %s", async (status, expected) => {
    const bench = new Bench(() => answer(status));
    expect(await bench.run(bench.arm().head(`/subscriptions/${SUBSCRIPTION}/resourceGroups/rg`))).toBe(
      expected,
    );
  });

  test.each<[string, ReturnType<typeof answer>, object]>([
    [
      "runs",
      answer(200, { status: "InProgress" }, { "retry-after": "7" }),
      { state: "InProgress", retryAfterMs: 7000 },
    ],
    ["runs, by location", answer(202), { state: "InProgress" }],
    [
      "runs, by the resource",
      answer(200, { properties: { provisioningState: "Updating" } }),
      { state: "InProgress" },
    ],
    ["has succeeded", answer(200, { status: "Succeeded" }), { state: "Succeeded" }],
    ["has succeeded, by location", answer(200), { state: "Succeeded" }],
    ["has succeeded, without a body", answer(204), { state: "Succeeded" }],
    [
      "has failed",
      answer(200, { status: "Failed", error: { code: "AllocationFailed", message: "full" } }),
      { state: "Failed", error: { class: "Capacity", code: "AllocationFailed" } },
    ],
    [
      "was preempted",
      answer(200, { status: "Canceled", error: { code: "OperationPreempted", message: "newer" } }),
      { state: "Canceled", error: { class: "Preempted" } },
    ],
    [
      "has failed without a reason",
      answer(200, { status: "Failed" }),
      { state: "Failed", error: { code: "OperationFailed" } },
    ],
  ])("a poll sees an operation that %s", async (_, reply, expected) => {
    const bench = new Bench(() => reply);
    expect(await bench.run(bench.arm().poll(OPERATION))).toMatchObject(expected);
  });

  test.each([
    [404, "Gone"],
    [503, "Transient"],
  ])("a poll that is answered %i throws %s without a state of the operation", async (status, expected) => {
    const bench = new Bench(() => answer(status));
    expect(await bench.failure(bench.arm().poll(OPERATION))).toMatchObject({ class: expected });
  });
});
