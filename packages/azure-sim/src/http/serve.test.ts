import { AdjustableClock, createHttpTransport, createRealEnv } from "@capstan/env";
import { expect, onTestFinished, test } from "vitest";
import { createAzure } from "../azure.ts";
import { DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION } from "../settings.ts";
import { serveAzure } from "./serve.ts";

const DAY_MS = 24 * 3_600_000;
const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/g?api-version=2024-11-01`;

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Caller {
  readonly clock: AdjustableClock;
  readonly send: (
    method: string,
    path: string,
    more?: { token?: string; body?: unknown },
  ) => Promise<Answered>;
}

/** A cloud with an adjustable clock, and a caller with a real clock who reaches it over HTTP. */
async function connected(): Promise<Caller> {
  const env = createRealEnv();
  const clock = new AdjustableClock(env.clock);
  const azure = createAzure({ env, clock, seed: "http", settings: { latencies: "none" } });
  const server = await serveAzure(azure);
  const transport = createHttpTransport({ baseUrl: `http://127.0.0.1:${server.port}` });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
    azure.close();
  });
  return {
    clock,
    send: async (method, path, { token, body } = {}) => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const type = typeof body === "string" ? "application/x-www-form-urlencoded" : "application/json";
      const headers = { metadata: "true", "content-type": type, ...authorization };
      const answer = await transport.request({ method, path, headers, ...(body !== undefined && { body }) });
      const text = await answer.text();
      const json = (text === "" ? {} : JSON.parse(text)) as Answered["body"];
      return { status: answer.status, headers: answer.headers, body: json };
    },
  };
}

async function signIn({ send }: Caller): Promise<string> {
  const { tenantId, clientId, clientSecret = "" } = DEFAULT_PRINCIPAL;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const body = new URLSearchParams({ ...form, scope: "https://management.azure.com/.default" }).toString();
  const answer = await send("POST", `/${tenantId}/oauth2/v2.0/token`, { body });
  expect(answer.body["expires_in"]).toBe(3599);
  return answer.body["access_token"] as string;
}

test("Retry-After counts the caller's seconds, and is at least one", async () => {
  const caller = await connected();
  const token = await signIn(caller);
  const waitAt = async (speed: number): Promise<string | undefined> => {
    caller.clock.setSpeed(speed);
    await caller.send("PUT", GROUP, { token, body: { location: "westus" } });
    return (await caller.send("DELETE", GROUP, { token })).headers["retry-after"];
  };
  expect([await waitAt(1), await waitAt(3), await waitAt(60)]).toEqual(["10", "4", "1"]);
});

test("a token is valid for an hour of the caller's time, also when the cloud's clock changes", async () => {
  const caller = await connected();
  const token = await signIn(caller);
  caller.clock.setSpeed(10_000);
  caller.clock.advance(365 * DAY_MS);
  expect((await caller.send("PUT", GROUP, { token, body: { location: "westus" } })).status).toBe(201);
  const beforeSeconds = caller.clock.base.now() / 1000;
  const path = "/metadata/identity/oauth2/token?resource=https://management.azure.com/";
  const { body } = await caller.send("GET", path);
  const leftSeconds = Number(body["expires_on"]) - beforeSeconds;
  expect(leftSeconds).toBeGreaterThan(3590);
  expect(leftSeconds).toBeLessThan(3700);
  const claims = Buffer.from(String(body["access_token"]).split(".")[1] ?? "", "base64url").toString();
  expect(JSON.parse(claims)).toMatchObject({ exp: Number(body["expires_on"]) });
  expect((await caller.send("GET", GROUP, { token: String(body["access_token"]) })).status).toBe(200);
});
