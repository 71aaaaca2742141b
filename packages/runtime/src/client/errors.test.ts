import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { plain, status } from "../answers.fixture.ts";
import type { Failure } from "../failure.ts";
import { TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import { connectionFailure, failureOf, statusFailure } from "./errors.ts";

const GET = "GET /boats/a";
const named = { details: { name: "a", kind: "boats" } };
const seen = ({ failure, reason, retryAfterMs }: Failure): unknown[] => [failure, reason, retryAfterMs];

describe("the failure of an error answer", () => {
  test.each([
    [400, "BadRequest", "Terminal"],
    [401, "Unauthorized", "Transient"],
    [403, "Forbidden", "Transient"],
    [404, "NotFound", "NotFound"],
    [405, "MethodNotAllowed", "Terminal"],
    [406, "NotAcceptable", "Transient"],
    [409, "Conflict", "Conflict"],
    [409, "AlreadyExists", "Conflict"],
    [410, "Expired", "Transient"],
    [413, "RequestEntityTooLarge", "Terminal"],
    [415, "UnsupportedMediaType", "Terminal"],
    [422, "Invalid", "Terminal"],
    [429, "TooManyRequests", "Transient"],
    [500, "InternalError", "Transient"],
    [503, "ServiceUnavailable", "Transient"],
    [504, "Timeout", "Transient"],
    [599, "SomethingNew", "Transient"],
  ])("%i %s is %s", async (code, reason, desired) => {
    const answer = status(code, { reason, message: "because", ...named });
    const failure = await failureOf(answer, GET);
    expect(seen(failure)).toEqual([desired, reason, undefined]);
    expect(failure.message).toBe("GET /boats/a: because");
  });

  test.each([
    ["without a reason", { message: "because" }, "HTTP500", "GET /boats/a: because"],
    ["with an empty reason", { reason: "", message: "because" }, "HTTP500", "GET /boats/a: because"],
    [
      "without a message",
      { reason: "InternalError" },
      "InternalError",
      "GET /boats/a: the server answered 500",
    ],
  ])("a Status %s still has a message", async (_, body, reason, message) => {
    const failure = await failureOf(status(500, body), GET);
    expect([failure.reason, failure.message]).toEqual([reason, message]);
  });

  test.each([
    ["a missing CustomResourceDefinition", plain(404, "404 page not found\n")],
    [
      "a missing version of it",
      status(404, { message: "the server could not find the requested resource", details: {} }),
    ],
  ])(
    "404 for %s is not a missing object: the message asks for the CustomResourceDefinition",
    async (_, answer) => {
      const failure = await failureOf(answer, "GET /boats");
      expect(seen(failure)).toEqual(["Transient", "KindNotServed", undefined]);
      expect(failure.message).toContain("is its CustomResourceDefinition installed?");
      expect(failure.message).toContain("GET /boats");
    },
  );

  test("the page of a proxy is quoted, but cut", async () => {
    const failure = await failureOf(plain(502, `<html>${"x".repeat(10_000)}</html>`), GET);
    expect(seen(failure)).toEqual(["Transient", "HTTP502", undefined]);
    expect(failure.message).toContain("GET /boats/a: <html>xxx");
    expect(failure.message.length).toBeLessThan(600);
  });

  test.each(['{"kind":"Pod"}', "null", "[]", '"text"', ""])(
    "JSON that is not a Status, %s, is quoted as text",
    async (body) => {
      const failure = await failureOf(plain(500, body), GET);
      expect(failure.message).toBe(`GET /boats/a: ${body || "the server answered 500"}`);
    },
  );

  test.each([
    ["in the header", status(429, { reason: "TooManyRequests" }, { "retry-after": "7" }), 7_000],
    ["in the Status", status(429, { details: { retryAfterSeconds: 3 } }), 3_000],
    [
      "in both, where the header wins",
      status(503, { details: { retryAfterSeconds: 3 } }, { "retry-after": "9" }),
      9_000,
    ],
    [
      "as a date, which is ignored",
      status(429, {}, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }),
      undefined,
    ],
    ["as zero", status(429, {}, { "retry-after": "0" }), undefined],
    ["as a negative number", status(429, {}, { "retry-after": "-5" }), undefined],
  ])("a Retry-After is read %s", async (_, answer, desired) => {
    expect((await failureOf(answer, GET)).retryAfterMs).toBe(desired);
  });

  test.each([
    "etcdserver: request is too large",
    "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2100000 vs. 2097152)",
  ])("a bare 500 that says %j is Terminal: the object will not shrink by itself", async (message) => {
    const failure = await failureOf(status(500, { message }), "PUT /boats/a");
    expect(seen(failure)).toEqual(["Terminal", "RequestEntityTooLarge", undefined]);
    expect(failure.message).toBe(`PUT /boats/a: ${message}`);
  });

  test("an ERROR event in a stream has the failure of its Status", () => {
    expect(seen(statusFailure({ code: 410, reason: "Expired" }, "WATCH /boats"))).toEqual([
      "Transient",
      "Expired",
      undefined,
    ]);
    expect(seen(statusFailure({ message: "?" }, "WATCH /boats"))).toEqual([
      "Transient",
      "HTTP500",
      undefined,
    ]);
  });
});

describe("whether a request may have been carried out", () => {
  test.each([
    [409, false],
    [422, false],
    [429, false],
    [401, false],
    [500, true],
    [504, true],
  ])("after %i: %s", async (code, desired) => {
    expect((await failureOf(status(code, named), "POST /boats")).outcomeUnknown).toBe(desired);
  });

  test.each([
    ["refused", false],
    ["lookup", false],
    ["tls", false],
    ["reset", true],
  ] as const)("after a connection that was %s: %s", (failure, desired) => {
    const result = connectionFailure(new TransportError(failure, "it broke"), "POST /boats") as Failure;
    expect(seen(result)).toEqual(["Transient", "ServerUnreachable", undefined]);
    expect([result.message, result.outcomeUnknown]).toEqual(["POST /boats: it broke", desired]);
  });
});

test("any other error is passed on", () => {
  const bug = new RangeError("a bug");
  expect(connectionFailure(bug, GET)).toBe(bug);
});

test("a field that another client owns is a terminal failure: a retry gives the same answer", async () => {
  const testServer = new TestServer();
  const name = { name: "a", namespace: "default" };
  await testServer.run(testServer.client.create(TestObject, testObject("a", { spec: { x: 1 } })));
  const { client } = testServer.connect("applier");
  const failure = (await testServer.failure(
    client.patch(TestObject, name, { type: "apply", body: { spec: { x: 2 } } }),
  )) as Failure;
  expect(failure).toMatchObject({ failure: "Terminal", reason: "FieldManagerConflict" });
  expect(failure.message).toContain('Apply failed with 1 conflict: conflict with "user" using');
});
