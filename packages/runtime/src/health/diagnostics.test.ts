import type { HttpResponse } from "@capstan/env";
import { createHttpTransport, serveHttp } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { createDiagnostics } from "./diagnostics.ts";

const reasons: string[] = [];
const handler = createDiagnostics({
  unready: () => reasons,
  parts: { controllers: () => ["waiting for the first list of Boat"] },
  metrics: () => "depth 4\n",
});
const ask = (path: string, method = "GET"): Promise<HttpResponse> => handler({ method, path, headers: {} });
const seen = async (response: HttpResponse): Promise<unknown[]> => [response.status, await response.text()];

describe("diagnostics", () => {
  test("report that the process is alive", async () => {
    expect(await seen(await ask("/healthz"))).toEqual([200, "ok\n"]);
    expect(await seen(await ask("/healthz?verbose", "HEAD"))).toEqual([200, "ok\n"]);
  });

  test("report why the process is not ready, one reason per line", async () => {
    expect(await seen(await ask("/readyz"))).toEqual([200, "ok\n"]);
    reasons.push("waiting for the first list of Boat", "the controllers have not been started");
    expect(await seen(await ask("/readyz"))).toEqual([
      503,
      "waiting for the first list of Boat\nthe controllers have not been started\n",
    ]);
    expect((await ask("/healthz")).status, "a restart would not help").toBe(200);
    reasons.length = 0;
  });

  test("report a part of the process, which does not count for the whole", async () => {
    expect(await seen(await ask("/readyz/controllers"))).toEqual([
      503,
      "waiting for the first list of Boat\n",
    ]);
    expect((await ask("/readyz")).status).toBe(200);
    expect((await ask("/readyz/webhooks")).status).toBe(404);
  });

  test("print metrics in the type that Prometheus asks for", async () => {
    const response = await ask("/metrics");
    expect(await seen(response)).toEqual([200, "depth 4\n"]);
    expect(response.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  });

  test("list the served paths for any other path, and refuse writes", async () => {
    expect(await seen(await ask("/"))).toEqual([
      404,
      "served here: /healthz, /readyz, /readyz/controllers, /metrics\n",
    ]);
    expect((await ask("/metrics/x")).status).toBe(404);
    expect((await ask("/metrics", "POST")).status).toBe(405);
  });

  test("are served over a real socket", async () => {
    const server = await serveHttp(handler);
    const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${server.port}` });
    const response = await transport.request({ method: "GET", path: "/metrics", headers: {} });
    expect(await seen(response)).toEqual([200, "depth 4\n"]);
    await transport.close();
    await server.close();
  });
});
