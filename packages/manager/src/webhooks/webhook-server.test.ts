import { Cluster, Namespace, Secret } from "@capstan/api";
import { createApiServer } from "@capstan/apiserver";
import { AdjustableClock, createHttpTransport, createRealEnv, TransportError, withClock } from "@capstan/env";
import { createClient, silentLogger } from "@capstan/runtime";
import { cluster } from "@capstan/runtime/testing/builders";
import { afterEach, describe, expect, test } from "vitest";
import { webhookConfigurationKinds } from "../certificates/ca-bundle.ts";
import { CERTIFICATE_SECRET, readCertificates } from "../certificates/certificate-secret.ts";
import { HOSTS, issuedAt } from "../certificates/issuer.fixture.ts";
import { WebhookServer } from "./webhook-server.ts";

const namespace = "capstan-system";
const secretName = { namespace, name: CERTIFICATE_SECRET };
const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A management cluster in this process, with a clock that tests move. */
async function management({ withNamespace = true } = {}) {
  const real = createRealEnv();
  const clock = new AdjustableClock(real.clock);
  const env = withClock(real, clock);
  const server = createApiServer({ env, kinds: [Namespace, Secret, ...webhookConfigurationKinds] });
  const transport = { request: server.handle, close: () => Promise.resolve() };
  const client = createClient({ transport, env, fieldManager: "test" });
  cleanups.push(() => server.close());
  if (withNamespace) await client.create(Namespace, { metadata: { name: namespace } });
  return { env, clock, client };
}

function webhooks({ env, client }: Awaited<ReturnType<typeof management>>, port = 0): WebhookServer {
  const server = new WebhookServer({
    env,
    client,
    log: silentLogger,
    namespace,
    host: "127.0.0.1",
    port,
    hosts: HOSTS,
    issue: () => issuedAt(env.clock.now()),
    assertMayWrite: () => undefined,
  });
  cleanups.push(() => server.stop());
  return server;
}

const { group, version, kind } = Cluster;
const QUESTION = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "u", kind: { group, version, kind }, operation: "CREATE", object: cluster() },
};

/** Sends a review on a new connection that trusts these authorities. */
async function ask(port: number | undefined, ca: string, body: unknown = QUESTION) {
  const transport = createHttpTransport({ baseUrl: `https://127.0.0.1:${port}`, ca });
  try {
    const answer = await transport.request({ method: "POST", path: "/validate", headers: {}, body });
    return { status: answer.status, text: await answer.text() };
  } finally {
    await transport.close();
  }
}

describe("webhooks", () => {
  test("are served with the certificates in the Secret as soon as it has some", async () => {
    const managed = await management();
    const server = webhooks(managed);
    expect(server.unready().join()).toContain("waiting for the webhook certificates");
    await server.start();
    expect(server.unready()).toEqual([]);
    const kept = readCertificates(await managed.client.get(Secret, secretName));
    const { status, text } = await ask(server.port, kept?.bundle ?? "");
    expect([status, JSON.parse(text)]).toMatchObject([200, { response: { uid: "u", allowed: true } }]);
  });

  test("use new certificates without a restart", async () => {
    const managed = await management();
    const server = webhooks(managed);
    await server.start();
    const { port } = server;
    const before = readCertificates(await managed.client.get(Secret, secretName));
    await managed.client.delete(Secret, secretName);
    // Each attempt lets the server side continue; it takes a few of them until it has polled and created a key.
    let status = 0;
    for (let attempts = 0; attempts < 50 && status === 0; attempts++) {
      managed.clock.advance(11_000);
      const secret = await managed.client.find(Secret, secretName);
      const bundle = (secret && readCertificates(secret)?.bundle) ?? "";
      ({ status } = await ask(port, bundle).catch(() => ({ status: 0 })));
    }
    expect(status).toBe(200);
    await expect(ask(port, before?.bundle ?? "")).rejects.toBeInstanceOf(TransportError);
  });

  test("read a body only up to the limit of a review", async () => {
    const managed = await management();
    const server = webhooks(managed);
    await server.start();
    const kept = readCertificates(await managed.client.get(Secret, secretName));
    const { status, text } = await ask(server.port, kept?.bundle ?? "", "x".repeat(9 * 1024 * 1024));
    expect([status, text]).toEqual([413, "the review is longer than 8388608 bytes\n"]);
  });

  test("report that their port is in use", async () => {
    const managed = await management();
    const first = webhooks(managed);
    await first.start();
    await expect(webhooks(managed, first.port).start()).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("can be stopped before there are any certificates", async () => {
    const server = webhooks(await management({ withNamespace: false }));
    const starting = server.start();
    await server.stop();
    await starting;
    expect(server.port).toBeUndefined();
  });
});
