import type { Duplex } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { type Handler, type HttpResponse, TransportError } from "../transport.ts";
import { serveHttp, serveStreams } from "./http-server.ts";
import { createPortForwardTransport, type PortForwardOptions } from "./port-forward.ts";
import { SELF_SIGNED } from "./self-signed.fixture.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const POD = { namespace: "kube-system", pod: "etcd-node-1", port: 2379 };
const PATH = "/api/v1/namespaces/kube-system/pods/etcd-node-1/portforward?ports=2379";
const TLS = { ca: SELF_SIGNED.cert, ...SELF_SIGNED, serverName: "localhost" };

const answer = (status: number, value: unknown): HttpResponse => ({
  status,
  headers: { "content-type": "application/json" },
  json: () => Promise.resolve(value),
  text: () => Promise.resolve(JSON.stringify(value)),
  async *lines() {
    yield value;
  },
});

/** An API server that forwards to what `accept` does with a connection. */
async function forwarding(accept: (connection: Duplex) => void, port = POD.port) {
  const paths: string[] = [];
  const opened: Duplex[] = [];
  const server = await serveHttp((request) => {
    paths.push(request.path);
    const tunnel = {
      port,
      accept: (connection: Duplex) => {
        opened.push(connection);
        accept(connection);
      },
    };
    return Promise.resolve({ ...answer(200, {}), tunnel });
  });
  cleanups.push(() => server.close());
  return { baseUrl: `http://127.0.0.1:${server.port}`, paths, opened };
}

/** A server in a pod, and the API server before it. */
async function podWith(handler: Handler) {
  const pod = serveStreams(handler, { tls: { ...SELF_SIGNED, clientCa: SELF_SIGNED.cert } });
  cleanups.push(() => pod.close());
  return await forwarding((connection) => pod.accept(connection));
}

function transportTo(baseUrl: string, options: Partial<PortForwardOptions> = {}) {
  const transport = createPortForwardTransport({
    apiServer: () => Promise.resolve({ server: { baseUrl }, headers: {} }),
    target: POD,
    tls: TLS,
    ...options,
  });
  cleanups.push(() => transport.close());
  return transport;
}

const post = (body: unknown) => ({ method: "POST", path: "/v3/x", headers: {}, body });

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TransportError)) throw new Error("expected a TransportError", { cause: error });
  return `${error.failure}: ${error.message}`;
}

describe("a port-forward", () => {
  test("carries requests to a server that verifies the client, on one connection", async () => {
    const { baseUrl, paths } = await podWith(({ path, body, peer }) =>
      Promise.resolve(answer(200, { path, body, client: peer?.commonName })),
    );
    const transport = transportTo(baseUrl);
    for (const number of [1, 2]) {
      const response = await transport.request(post({ number }));
      expect(await response.json()).toEqual({
        path: "/v3/x",
        body: JSON.stringify({ number }),
        client: "localhost",
      });
    }
    expect(paths).toEqual([PATH]);
  });

  test("carries megabytes in both directions", async () => {
    const { baseUrl } = await podWith(({ body }) => Promise.resolve(answer(200, { body })));
    const text = "0123456789abcdef".repeat(256 * 1024);
    const response = await transportTo(baseUrl).request(post(text));
    expect(((await response.json()) as { body: string }).body).toBe(text);
  });

  test("that is cut is opened again by the next request", async () => {
    let isCut = true;
    const { baseUrl, opened, paths } = await podWith(() => {
      if (isCut) opened.at(-1)?.destroy();
      return Promise.resolve(answer(200, {}));
    });
    const transport = transportTo(baseUrl);
    expect(await failureOf(transport.request(post({})))).toContain(
      "reset: the port-forward to port 2379 of Pod kube-system/etcd-node-1 broke during POST /v3/x",
    );
    isCut = false;
    expect((await transport.request(post({}))).status).toBe(200);
    expect(paths).toEqual([PATH, PATH]);
  });

  test("to a server that never answers ends with its request", async () => {
    const { baseUrl } = await forwarding(() => undefined);
    const ending = new AbortController();
    const asked = transportTo(baseUrl).request({ ...post({}), signal: ending.signal });
    ending.abort(new Error("no answer within 15 s"));
    await expect(asked).rejects.toThrow("no answer within 15 s");
  });

  test.each<[string, (connection: Duplex) => void, number, string]>([
    [
      "a server that does not speak TLS",
      (connection) => void connection.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
      POD.port,
      "tls: the server at port 2379 of Pod kube-system/etcd-node-1 does not prove its identity: ",
    ],
    [
      "a connection that is closed at once",
      (connection) => void connection.end(),
      POD.port,
      "refused: no port-forward leads to port 2379 of Pod kube-system/etcd-node-1: it was closed",
    ],
    [
      "another port",
      () => undefined,
      2380,
      "refused: no port-forward leads to port 2379 of Pod kube-system/etcd-node-1: the server forwards another port than 2379",
    ],
  ])("to %s fails with the reason", async (_, accept, port, reason) => {
    const { baseUrl } = await forwarding(accept, port);
    expect(await failureOf(transportTo(baseUrl).request(post({})))).toContain(reason);
  });

  test("to a server with the certificate of another node fails", async () => {
    const { baseUrl } = await podWith(() => Promise.resolve(answer(200, {})));
    const transport = transportTo(baseUrl, { tls: { ...TLS, serverName: "node-2" } });
    expect(await failureOf(transport.request(post({})))).toMatch(/^tls: .*node-2/);
  });

  test.each([
    [
      403,
      { kind: "Status", message: "pods is forbidden" },
      "the user of the kubeconfig needs the verbs get and create on pods/portforward; the API server answers 403: pods is forbidden",
    ],
    [
      404,
      { message: 'pods "etcd-node-1" not found' },
      'the API server answers 404: pods "etcd-node-1" not found',
    ],
    [500, "x".repeat(10_000), `the API server answers 500: "${"x".repeat(299)}`],
  ])("that the API server refuses with %i says so", async (status, body, words) => {
    const server = await serveHttp(() => Promise.resolve(answer(status, body)));
    cleanups.push(() => server.close());
    const transport = transportTo(`http://127.0.0.1:${server.port}`);
    expect(await failureOf(transport.request(post({})))).toBe(
      `refused: no port-forward leads to port 2379 of Pod kube-system/etcd-node-1: ${words}`,
    );
  });
});

describe("a server with tunnels", () => {
  test("tells a client without the subprotocol which one it serves", async () => {
    const { baseUrl } = await forwarding(() => undefined);
    const socket = new WebSocket(`${baseUrl.replace("http", "ws")}/x`);
    await new Promise((resolve) => socket.addEventListener("close", resolve, { once: true }));
    expect(socket.protocol).toBe("");
  });
});
