import { describe, expect, test } from "vitest";
import { paths, TestClient, widget } from "../testing.ts";

describe("paths", () => {
  test.each([
    ["GET", "/nope"],
    ["GET", "/apis/nope/v1/things"],
    ["GET", "/apis/test.x-k8s.io/v1/namespaces/default/gadgets"],
    ["GET", "/apis/test.x-k8s.io/v2/namespaces/default/widgets"],
    ["POST", paths.allWidgets],
  ])("%s %s belongs to no API", async (method, path) => {
    const answer = await new TestClient().send(method, path);
    expect(answer.status).toBe(404);
    expect(answer.body.message).toBe("404 page not found\n");
  });

  test.each([
    "/api/v1/things",
    "/api/v1/configmaps/c",
    `${paths.configMaps}/c/status`,
    `${paths.nodes}/n/a/b`.slice(0, -2),
  ])("GET %s names no served resource", async (path) => {
    const { body } = await new TestClient().get(path);
    expect(body).toMatchObject({
      code: 404,
      reason: "NotFound",
      message: "the server could not find the requested resource",
    });
  });

  test.each([
    ["PUT", paths.configMaps],
    ["PATCH", paths.configMaps],
    ["POST", `${paths.configMaps}/c`],
    ["POST", "/api/v1/configmaps"],
    ["BREW", paths.configMaps],
    ["GET", "/api/v1/namespaces/default/finalize"],
  ])("%s %s is not allowed", async (method, path) => {
    const { body } = await new TestClient().send(method, path, { body: {} });
    expect(body).toMatchObject({ code: 405, reason: "MethodNotAllowed" });
  });

  test("escapes in names are decoded, broken ones refused", async () => {
    const client = new TestClient();
    await client.create(paths.widgets, widget("a"));
    expect((await client.get(`${paths.widgets}/%61`)).status).toBe(200);
    expect((await client.get(`${paths.widgets}/%zz`)).body).toMatchObject({
      code: 400,
      reason: "BadRequest",
    });
    expect((await client.get(`${paths.widgets}/a%2F..%2Fb`)).status).toBe(404);
  });

  test("reading one object accepts a version that has been reached", async () => {
    const client = new TestClient();
    await client.create(paths.widgets, widget("a"));
    expect((await client.get(`${paths.widgets}/a?resourceVersion=5`)).status).toBe(200);
    const future = await client.get(`${paths.widgets}/a?resourceVersion=99`);
    expect(future.headers["retry-after"]).toBe("1");
    expect(future.body).toMatchObject({ code: 504, reason: "Timeout", details: { retryAfterSeconds: 1 } });
  });

  test("a missing object is a Status with all details", async () => {
    expect((await new TestClient().get(`${paths.widgets}/a`)).body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'widgets.test.x-k8s.io "a" not found',
      reason: "NotFound",
      details: { name: "a", group: "test.x-k8s.io", kind: "widgets" },
      code: 404,
    });
  });
});
