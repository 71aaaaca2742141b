import { type HttpResponse, type Transport, TransportError } from "@capstan/env";
import { Sensitive } from "@capstan/runtime";
import { expect, test } from "vitest";
import { concealing } from "./connect.ts";

const KEY = "-----BEGIN PRIVATE KEY-----\nMIICANARYCANARYCANARY\n-----END PRIVATE KEY-----\n";
const facts = { server: "https://host", token: new Sensitive("canary-token"), key: new Sensitive(KEY) };
const request = { method: "GET", path: "/", headers: {} };

function answering(status: number, text: string): Transport {
  const response: HttpResponse = {
    status,
    headers: {},
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(JSON.parse(text)),
    async *lines() {
      yield text;
    },
  };
  return { request: () => Promise.resolve(response), close: () => Promise.resolve() };
}

test("an error response of a server does not reveal the manager's credentials", async () => {
  const said = JSON.stringify({
    message: `no canary-token, ${KEY} and ${Buffer.from(KEY).toString("base64")} here`,
  });
  const response = await concealing(answering(401, said), facts).request(request);
  const text = await response.text();
  expect(text).not.toContain("canary-token");
  expect(text).not.toContain("MIICANARY");
  expect(text).not.toContain(Buffer.from(KEY).toString("base64"));
  expect(await response.json()).toMatchObject({
    message: expect.stringContaining("no [redacted], ") as unknown,
  });
});

test("other responses are passed on unchanged", async () => {
  const transport = answering(200, "canary-token");
  expect(await (await concealing(transport, facts).request(request)).text()).toBe("canary-token");
});

test("an error of the connection names no credentials and carries no cause that could", async () => {
  const failing: Transport = {
    request: () =>
      Promise.reject(new TransportError("tls", "the key canary-token is bad", new Error("canary-token"))),
    close: () => Promise.resolve(),
  };
  const error = await concealing(failing, facts)
    .request(request)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ failure: "tls", message: "the key [redacted] is bad" });
  expect((error as Error).cause).toBeUndefined();
});
