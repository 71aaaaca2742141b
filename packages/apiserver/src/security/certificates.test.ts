import { X509Certificate } from "node:crypto";
import { createHttpTransport, createRealEnv, type HttpRequest, serveHttp } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { jsonResponse } from "../http/response.ts";
import { createAuthority, issueCertificate, isValidFor } from "./certificates.ts";

const env = createRealEnv();
const DAY_MS = 24 * 3_600_000;

describe("certificates", () => {
  test("of a server are for its hosts, signed by the authority, and expire after a year", async () => {
    const authority = await createAuthority(env);
    const server = await issueCertificate(env, authority, {
      type: "server",
      hosts: ["localhost", "127.0.0.1", "::1"],
    });
    const [ca, leaf] = [new X509Certificate(authority.cert), new X509Certificate(server.cert)];
    expect([ca.ca, leaf.ca, leaf.checkIssued(ca), leaf.verify(ca.publicKey)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect([
      leaf.checkHost("localhost"),
      leaf.checkIP("127.0.0.1"),
      leaf.checkIP("::1"),
      leaf.checkIP("10.0.0.1"),
    ]).toEqual(["localhost", "127.0.0.1", "::1", undefined]);
    expect(isValidFor(server, env.clock.now(), 300 * DAY_MS)).toBe(true);
    expect(isValidFor(server, env.clock.now(), 400 * DAY_MS)).toBe(false);
  });

  test("of a client identify it, over a real handshake, with HTTP/2 and HTTP/1.1 on one port", async () => {
    const authority = await createAuthority(env);
    const server = await issueCertificate(env, authority, { type: "server", hosts: ["127.0.0.1"] });
    const client = await issueCertificate(env, authority, {
      type: "client",
      user: "admin, O=evil",
      groups: ["system:masters", "b=c"],
    });
    const stranger = await issueCertificate(env, await createAuthority(env), {
      type: "client",
      user: "root",
      groups: ["system:masters"],
    });
    const peers: HttpRequest["peer"][] = [];
    const listening = await serveHttp(
      ({ peer }) => {
        peers.push(peer);
        return Promise.resolve(jsonResponse(200, {}));
      },
      { tls: { ...server, clientCa: authority.cert } },
    );
    for (const credential of [client, stranger, {}]) {
      const transport = createHttpTransport({
        baseUrl: `https://127.0.0.1:${listening.port}`,
        ca: authority.cert,
        ...credential,
      });
      await (await transport.request({ method: "GET", path: "/", headers: {} })).text();
      await transport.close();
    }
    await listening.close();
    expect(peers).toEqual([
      {
        commonName: "admin, O=evil",
        organizations: ["system:masters", "b=c"],
        authority: new X509Certificate(authority.cert).fingerprint256,
      },
      undefined,
      undefined,
    ]);
  });
});
