import { createRealEnv, type HttpRequest, type HttpResponse } from "@capstan/env";
import { expect, test } from "vitest";
import { createApiServer } from "../api-server.ts";
import { builtInKinds } from "../built-in/kinds.ts";
import { jsonResponse } from "./response.ts";

const PROXY = "/api/v1/namespaces/updaters/services/https:resizer:443/proxy";

function served(): {
  readonly requests: HttpRequest[];
  readonly send: (path: string, token?: string) => Promise<HttpResponse>;
} {
  const requests: HttpRequest[] = [];
  const server = createApiServer({
    env: createRealEnv(),
    kinds: builtInKinds,
    services: ({ namespace, name }) =>
      `${namespace}/${name}` === "updaters/resizer"
        ? (request) => {
            requests.push(request);
            return Promise.resolve(jsonResponse(200, { said: request.body }));
          }
        : undefined,
  });
  const users: Readonly<Record<string, readonly string[]>> = { admin: ["system:masters"], guest: [] };
  const secured = server.secured({
    userOfToken: (name) => {
      const groups = users[name];
      return groups && { name, groups };
    },
  });
  const send = (path: string, token = "admin"): Promise<HttpResponse> =>
    secured({
      method: "POST",
      path,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: { question: 1 },
    });
  return { requests, send };
}

test("a request below the proxy of a Service reaches its server without the credential of the caller", async () => {
  const { requests, send } = served();
  const response = await send(`${PROXY}/hooks/ask?x=1`);
  expect([response.status, await response.json()]).toEqual([200, { said: { question: 1 } }]);
  expect(requests).toMatchObject([{ method: "POST", path: "/hooks/ask?x=1" }]);
  expect(Object.keys(requests[0]?.headers ?? {})).toEqual(["content-type"]);
});

test.each([
  ["a user without the permission for services/proxy is refused", `${PROXY}/hooks`, "guest", 403],
  ["an unknown user is refused", `${PROXY}/hooks`, "stranger", 401],
  [
    "a Service that no server is behind is unavailable",
    "/api/v1/namespaces/x/services/y/proxy/z",
    "admin",
    503,
  ],
])("%s", async (_, path, token, status) => {
  const { requests, send } = served();
  expect((await send(path, token)).status).toBe(status);
  expect(requests).toEqual([]);
});
