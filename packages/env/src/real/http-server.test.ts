import { X509Certificate } from "node:crypto";
import { connect } from "node:http2";
import { request as httpsRequest } from "node:https";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import type { HttpResponse, Peer } from "../transport.ts";
import { type ListeningServer, serveHttp, type ServeOptions, type ServerTls } from "./http-server.ts";
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

describe("a client without permission", () => {
  const refuse = async (): Promise<HttpResponse> => ({ ...EMPTY, status: 401 });
  const open = async (options: ServeOptions): Promise<ListeningServer> => {
    const listening = await serveHttp(refuse, { tls: SELF_SIGNED, bodies: "onDemand", ...options });
    cleanups.push(() => listening.close());
    return listening;
  };

  test("is answered on the head of its requests, over HTTP/2 and HTTP/1.1", async () => {
    const { port } = await open({});
    const session = connect(`https://localhost:${port}`, { ca: SELF_SIGNED.cert });
    const stream = session.request({ ":method": "POST", ":path": "/", "content-length": "3000000" });
    const status = await new Promise((resolve) => {
      stream.on("response", (headers) => resolve(headers[":status"]));
      stream.on("error", () => undefined);
      stream.write("only the beginning");
    });
    session.destroy();
    const old = await new Promise((resolve) => {
      const headers = { "content-length": 3_000_000 };
      const request = httpsRequest({
        port,
        host: "localhost",
        method: "POST",
        ca: SELF_SIGNED.cert,
        headers,
      });
      request.on("response", (response) => resolve([response.statusCode, response.headers.connection]));
      request.on("error", () => undefined);
      request.write("only the beginning");
    });
    expect([status, old]).toEqual([401, [401, "close"]]);
  });

  test("may send a hundred requests at once on a connection", async () => {
    const { port } = await open({});
    const session = connect(`https://localhost:${port}`, { ca: SELF_SIGNED.cert });
    const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
      session.once("remoteSettings", resolve),
    );
    session.destroy();
    expect(settings.maxConcurrentStreams).toBe(100);
  });

  test.each([
    ["a slow head", "GET / HTTP/1.1\r\nhost: localhost\r\nx-slow:"],
    ["nothing at all", ""],
  ])("is disconnected when it sends %s", async (_, text) => {
    const { port } = await open({ limits: { headersMs: 50, idleMs: 50, requestMs: 100 } });
    for (const protocol of ["http/1.1", "h2"]) {
      const socket = connectTls({ port, host: "localhost", ca: SELF_SIGNED.cert, ALPNProtocols: [protocol] });
      socket.on("error", () => undefined);
      const closed = new Promise((resolve) => socket.on("close", () => resolve("closed")).resume());
      if (text !== "") socket.write(text);
      expect(await closed).toBe("closed");
    }
  });
});

test.each(["first", "onDemand"] as const)("a slow body that is read %s ends its request", async (bodies) => {
  const listening = await serveHttp(
    async ({ readBody }) => {
      await readBody?.();
      return EMPTY;
    },
    { tls: SELF_SIGNED, bodies, limits: { headersMs: 50, requestMs: 50 } },
  );
  cleanups.push(() => listening.close());
  const session = connect(`https://localhost:${listening.port}`, { ca: SELF_SIGNED.cert });
  const stream = session.request({ ":method": "POST", ":path": "/" });
  const status = new Promise((resolve) => stream.on("response", (headers) => resolve(headers[":status"])));
  stream.on("error", () => undefined);
  stream.write("a");
  expect(await status).toBe(408);
  session.destroy();
});
