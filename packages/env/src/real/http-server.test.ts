import { X509Certificate } from "node:crypto";
import { connect } from "node:http2";
import { afterEach, describe, expect, test } from "vitest";
import type { HttpResponse, Peer } from "../transport.ts";
import { type ListeningServer, serveHttp, type ServerTls } from "./http-server.ts";
import { createHttpTransport, type HttpTransportOptions } from "./http-transport.ts";
import { EAST, WEST } from "./client-authorities.fixture.ts";
import { SELF_SIGNED } from "./self-signed.fixture.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const EMPTY: HttpResponse = {
  status: 200,
  headers: {},
  text: () => Promise.resolve(""),
  json: () => Promise.resolve(undefined),
  async *lines() {},
};

/** A server that records its callers. */
async function door(clientCa: NonNullable<ServerTls["clientCa"]>) {
  const peers: (Peer | undefined)[] = [];
  const listening = await serveHttp(
    async ({ peer }) => {
      peers.push(peer);
      return EMPTY;
    },
    { tls: { ...SELF_SIGNED, clientCa } },
  );
  cleanups.push(() => listening.close());
  return { listening, peers };
}

async function knock(
  { port }: ListeningServer,
  credential: Pick<HttpTransportOptions, "cert" | "key">,
): Promise<void> {
  const transport = createHttpTransport({
    baseUrl: `https://localhost:${port}`,
    ca: SELF_SIGNED.cert,
    ...credential,
  });
  await (await transport.request({ method: "GET", path: "/", headers: {} })).text();
  await transport.close();
}

const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256;

describe("a server with client authorities", () => {
  test("reports which of them signed the certificate of a caller", async () => {
    const { listening, peers } = await door([EAST.ca, WEST.ca]);
    for (const client of [EAST.client, WEST.client, {}]) await knock(listening, client);
    expect(peers).toEqual([
      { commonName: "sailor", organizations: ["crew"], authority: fingerprint(EAST.ca) },
      { commonName: "sailor", organizations: ["crew"], authority: fingerprint(WEST.ca) },
      undefined,
    ]);
  });

  test("accepts new ones while it runs, and removes others", async () => {
    const { listening, peers } = await door(EAST.ca);
    await knock(listening, WEST.client);
    listening.setTls({ ...SELF_SIGNED, clientCa: [WEST.ca] });
    await knock(listening, WEST.client);
    await knock(listening, EAST.client);
    expect(peers.map((peer) => peer?.authority)).toEqual([undefined, fingerprint(WEST.ca), undefined]);
  });

  test("identifies the caller of each of many requests on one HTTP/2 connection", async () => {
    const { listening, peers } = await door(EAST.ca);
    const session = connect(`https://localhost:${listening.port}`, { ca: SELF_SIGNED.cert, ...EAST.client });
    for (let request = 0; request < 3; request++) {
      await new Promise<void>((resolve) => {
        session.request({ ":path": "/" }).on("end", resolve).resume();
      });
    }
    session.close();
    expect(peers.map((peer) => peer?.commonName)).toEqual(["sailor", "sailor", "sailor"]);
  });
});

test("a server without TLS has no certificates to change", async () => {
  const listening = await serveHttp(() => Promise.resolve(EMPTY));
  cleanups.push(() => listening.close());
  expect(() => listening.setTls(SELF_SIGNED)).toThrow("a server without TLS has no certificates");
});
