/** The way to a server in a pod: HTTP over TLS, through a port-forward of a Kubernetes API server. */
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Duplex } from "node:stream";
import { Agent } from "undici";
import { WebSocket } from "ws";
import { type Transport, TransportError } from "../transport.ts";
import { type ExplainFailure, type HttpTransportOptions, transportThrough } from "./http-transport.ts";
import { LONGEST_MESSAGE_BYTES, PORT_FORWARD_PROTOCOL, portForwardStream } from "./port-forward-stream.ts";

/** A port of a pod. */
export interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** An API server, and the credentials for it. */
export interface ForwardingServer {
  readonly server: Pick<HttpTransportOptions, "baseUrl" | "ca" | "cert" | "key" | "serverName">;
  /** Headers such as a bearer token. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A server in a pod, and the API server that leads to it. */
export interface PortForwardOptions {
  /** Asked before each connection, because credentials are renewed. */
  readonly apiServer: () => Promise<ForwardingServer>;
  readonly target: PodPort;
  /** How the server in the pod proves its identity, and the client its own. */
  readonly tls: Required<Pick<HttpTransportOptions, "ca" | "cert" | "key" | "serverName">>;
}

// Upstream waits 10 s for a connection, too. Each of the two handshakes, to the API server and inside the pod, may take it.
const HANDSHAKE_MS = 10_000;
// A reconcile loop that is not settled comes back sooner, and then uses the same connection.
const IDLE_MS = 60_000;
const LONGEST_REFUSAL_BYTES = 4_096;
const LONGEST_REASON = 300;

/** A transport to a server in a pod. It opens one connection at a time, and closes it when it is idle. */
export function createPortForwardTransport(options: PortForwardOptions): Transport {
  const { pod, port } = options.target;
  const closing = new AbortController();
  const dispatcher = new Agent({
    connect: (_, opened) => {
      connect(options, closing.signal).then(
        (socket) => opened(null, socket),
        (error: unknown) => opened(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
    connections: 1,
    keepAliveTimeout: IDLE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    ...transportThrough({
      dispatcher,
      origin: `https://${pod}:${port}`,
      explain: sentenceFor(options.target),
    }),
    close: () => {
      // A request may still wait for a server that never answers.
      closing.abort(refused("the connection was closed"));
      return dispatcher.destroy();
    },
  };
}

function sentenceFor({ namespace, pod, port }: PodPort): ExplainFailure {
  const place = `port ${port} of Pod ${namespace}/${pod}`;
  return (failure, cause, { method, path }) =>
    ({
      refused: `no port-forward leads to ${place}: ${cause.message}`,
      forbidden: `${place} is not connected to: ${cause.message}`,
      lookup: `no port-forward leads to ${place}: ${cause.message}`,
      tls: `the server at ${place} does not prove its identity: ${cause.message}`,
      oversized: `${place} sent too long an answer to ${method} ${path}: ${cause.message}`,
      reset: `the port-forward to ${place} broke during ${method} ${path}: ${cause.message}`,
    })[failure];
}

async function connect(options: PortForwardOptions, closing: AbortSignal): Promise<TLSSocket> {
  const stream = await openStream(await options.apiServer(), options.target, closing);
  const { ca, cert, key, serverName } = options.tls;
  return await new Promise((resolve, reject) => {
    const secured = connectTls({ socket: stream, ca, cert, key, servername: serverName });
    const fail = (error: Error): void => {
      clearTimeout(timer);
      closing.removeEventListener("abort", end);
      secured.destroy();
      stream.destroy();
      // The stream knows better than TLS why it ended.
      reject(stream.errored ? refused(stream.errored.message) : error);
    };
    const timer = setTimeout(
      () => fail(refused(`no TLS handshake within ${HANDSHAKE_MS / 1000} s`)),
      HANDSHAKE_MS,
    );
    const end = (): void => fail(closing.reason as TransportError);
    closing.addEventListener("abort", end);
    stream.on("error", fail);
    secured.once("error", (cause: Error) => fail(isClosed(cause) ? closedEarly() : cause));
    secured.once("close", () => fail(closedEarly()));
    secured.once("secureConnect", () => {
      clearTimeout(timer);
      closing.removeEventListener("abort", end);
      resolve(secured);
    });
    if (stream.errored) fail(stream.errored);
  });
}

const refused = (message: string): TransportError => new TransportError("refused", message);
const closedEarly = (): TransportError => refused("it was closed during the TLS handshake");
const isClosed = (error: NodeJS.ErrnoException): boolean => error.code === "ECONNRESET";

/** Opens a port-forward; rejects with the API server's own words when it refuses. */
function openStream(
  { server, headers }: ForwardingServer,
  { namespace, pod, port }: PodPort,
  closing: AbortSignal,
): Promise<Duplex> {
  const { baseUrl, serverName, ...tls } = server;
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/portforward?ports=${port}`;
  const url = `${baseUrl.replace(/^http/, "ws").replace(/\/$/, "")}${path}`;
  const socket = new WebSocket(url, [PORT_FORWARD_PROTOCOL], {
    ...tls,
    ...(serverName !== undefined && { servername: serverName }),
    headers,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: LONGEST_MESSAGE_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const end = (): void => socket.terminate();
  closing.addEventListener("abort", end);
  socket.once("close", () => closing.removeEventListener("abort", end));
  return new Promise((resolve, reject) => {
    socket.once("error", (error) => reject(refused(error.message)));
    socket.once("unexpected-response", (_, response) => {
      let text = "";
      const finish = (): void => {
        response.destroy();
        socket.terminate();
        reject(refused(refusalIn(response.statusCode ?? 0, text)));
      };
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
        if (text.length > LONGEST_REFUSAL_BYTES) finish();
      });
      response.once("close", finish);
    });
    socket.once("open", () => {
      const stream = portForwardStream(socket, { port, end: "client" });
      // It may fail before the TLS handshake begins, which then finds the error.
      stream.on("error", () => undefined);
      resolve(stream);
    });
  });
}

const RIGHTS = "the user of the kubeconfig needs the verbs get and create on pods/portforward";

function refusalIn(status: number, text: string): string {
  const words = `the API server answers ${status}: ${messageIn(text).slice(0, LONGEST_REASON)}`;
  return status === 403 ? `${RIGHTS}; ${words}` : words;
}

/** The message of a Status, or the text itself. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === "string" ? message : text;
  } catch {
    return text;
  }
}
