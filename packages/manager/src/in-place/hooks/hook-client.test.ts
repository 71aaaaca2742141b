import { rootCertificates } from "node:tls";
import type { ExtensionConfig } from "@capstan/api";
import { createRealEnv, type Handler, type HttpResponse, serveHttp, TransportError } from "@capstan/env";
import { Failure, MetricRegistry } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { SELF_SIGNED } from "../../../../env/src/real/self-signed.fixture.ts";
import { connectToExtension } from "./connect.ts";
import { type ConnectToExtension, createHookClient } from "./hook-client.ts";

const env = createRealEnv();
const [FOREIGN_AUTHORITY = ""] = rootCertificates;

function config(clientConfig: ExtensionConfig["spec"]["clientConfig"]): ExtensionConfig {
  return { apiVersion: "", kind: "", metadata: { name: "ext" }, spec: { clientConfig } };
}

const answer = (status: number, text: string, headers = {}): HttpResponse => ({
  status,
  headers,
  text: () => Promise.resolve(text),
  json: () => Promise.resolve(JSON.parse(text)),
  lines: async function* () {
    yield await Promise.resolve(text);
  },
});

function call(
  connect: ConnectToExtension,
  clientConfig = { url: "https://ext.invalid/base" } as ExtensionConfig["spec"]["clientConfig"],
  timeoutMs = 1_000,
): Promise<unknown> {
  const hooks = createHookClient({ clock: env.clock, connect, assertMayWrite: () => undefined });
  return hooks.call({ config: config(clientConfig), hook: "UpdateMachine", path: "/x", body: {}, timeoutMs });
}

const through =
  (handle: Handler): ConnectToExtension =>
  () => ({ request: handle, close: () => Promise.resolve() });

describe("a call of an extension", () => {
  test.each<[string, Handler, string, string]>([
    [
      "a server error",
      () => Promise.resolve(answer(500, "boom\u0000")),
      "HookRefused",
      "answered with HTTP status 500: boom",
    ],
    [
      "a redirect",
      () => Promise.resolve(answer(302, "", { location: "http://evil" })),
      "HookRefused",
      "a redirect, which is not followed",
    ],
    [
      "garbage",
      () => Promise.resolve(answer(200, "<html>")),
      "InvalidAnswer",
      'must answer with JSON, but answered "<html>"',
    ],
    [
      "20 MB",
      () => Promise.resolve(answer(200, `"${"x".repeat(20_000_000)}"`)),
      "AnswerTooLong",
      "more than 1048576 bytes",
    ],
    [
      "a refused connection",
      () => Promise.reject(new TransportError("refused", "")),
      "ConnectionRefused",
      "does the extension run?",
    ],
    [
      "a wrong certificate",
      () => Promise.reject(new TransportError("tls", "")),
      "UntrustedCertificate",
      "spec.clientConfig.caBundle did not sign it",
    ],
  ])("reports %s", async (_, handle, reason, message) => {
    const failure = await call(through(handle)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({
      failure: "Transient",
      reason,
      message: expect.stringContaining(message) as string,
    });
  });

  test("ends after its time limit", async () => {
    const never: Handler = ({ signal }) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
    await expect(call(through(never), undefined, 20)).rejects.toMatchObject({
      reason: "HookTimeout",
      message: "did not answer within 0.02 s",
    });
  });

  test("trusts the authority of its ExtensionConfig, and no other one", async () => {
    const handle: Handler = () =>
      Promise.resolve(answer(200, '{"ok":true}', { "content-type": "application/json" }));
    const server = await serveHttp(handle, { host: "127.0.0.1", tls: SELF_SIGNED });
    try {
      const url = `https://localhost:${server.port}`;
      const caBundle = Buffer.from(SELF_SIGNED.cert).toString("base64");
      expect(await call(connectToExtension(), { url, caBundle }, 5_000)).toEqual({ ok: true });
      const foreign = Buffer.from(FOREIGN_AUTHORITY).toString("base64");
      await expect(call(connectToExtension(), { url, caBundle: foreign }, 5_000)).rejects.toMatchObject({
        reason: "UntrustedCertificate",
      });
    } finally {
      await server.close();
    }
  });

  test("without a certificate authority is not made", async () => {
    await expect(call(connectToExtension())).rejects.toMatchObject({
      failure: "Terminal",
      reason: "MissingAuthority",
    });
  });

  test("is not made by a manager that leads no longer", async () => {
    let calls = 0;
    const connect = through(() => {
      calls++;
      return Promise.resolve(answer(200, "{}"));
    });
    const assertMayWrite = (): void => {
      throw new Error("the Lease is over");
    };
    const hooks = createHookClient({ clock: env.clock, connect, assertMayWrite });
    const clientConfig = { url: "https://ext.invalid" };
    const request = {
      config: config(clientConfig),
      hook: "UpdateMachine",
      path: "/",
      body: {},
      timeoutMs: 9,
    };
    await expect(hooks.call(request)).rejects.toThrow("the Lease is over");
    expect(calls).toBe(0);
  });

  test("is measured by extension, hook and result", async () => {
    const metrics = new MetricRegistry();
    const connect = through(() => Promise.resolve(answer(200, "{}")));
    const hooks = createHookClient({ clock: env.clock, connect, assertMayWrite: () => undefined, metrics });
    const clientConfig = { url: "https://ext.invalid" };
    await hooks.call({
      config: config(clientConfig),
      hook: "UpdateMachine",
      path: "/",
      body: {},
      timeoutMs: 9,
    });
    expect(metrics.print()).toContain(
      'capstan_runtime_hook_duration_seconds_count{extension="ext",hook="UpdateMachine",result="Answered"} 1',
    );
  });
});
