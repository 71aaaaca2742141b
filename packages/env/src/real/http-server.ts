import { X509Certificate } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Handler, HttpRequest, HttpResponse, Peer } from "../transport.ts";
import { answerUpgrade, type Upgrade } from "./tunnel.ts";

/** The address and protocol of a server. */
export interface ServeOptions {
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port?: number;
  /** Serves HTTP/2 and HTTP/1.1 over TLS; without it plain HTTP/1.1. */
  readonly tls?: ServerTls;
  /** The server reads bodies up to this length plus one byte: enough for the handler to detect one that is too long. */
  readonly bodyLimitBytes?: number;
  /** With "onDemand" the handler gets the head of a request and reads the body itself, if it wants to. */
  readonly bodies?: "first" | "onDemand";
  readonly limits?: Partial<ServerLimits>;
}

/** How long and how much a client may use a connection. An answer may take any time: watches last. */
export interface ServerLimits {
  /** For the TLS handshake, and for the headers of a request. */
  readonly headersMs: number;
  /** For a request with its body. */
  readonly requestMs: number;
  /** After which a connection without a request is closed. */
  readonly idleMs: number;
  /** Requests at once on an HTTP/2 connection. Go's client opens another connection for more. */
  readonly streams: number;
}

// kube-apiserver's limits for headers and idle connections; its clients send a body at once.
const LIMITS: ServerLimits = { headersMs: 32_000, requestMs: 60_000, idleMs: 90_000, streams: 100 };

/** PEM certificates of a server. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** Client certificates that one of these authorities signed are verified and passed to the handler as its peer. */
  readonly clientCa?: string | readonly string[];
}

/** A listening server. */
export interface ListeningServer {
  readonly port: number;
  /** Replaces certificates and client authorities for new connections; only with TLS. */
  setTls(tls: ServerTls): void;
  /** Ends all connections, streams included. */
  close(): Promise<void>;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves a handler on a loopback or given address. */
export async function serveHttp(handler: Handler, options: ServeOptions = {}): Promise<ListeningServer> {
  const { host = "127.0.0.1", port = 0 } = options;
  const { server, authorities } = createHttpServer(handler, options);
  const close = closer(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    setTls: (next) => {
      if (!("setSecureContext" in server)) throw new TypeError("a server without TLS has no certificates");
      server.setSecureContext(contextOf(next));
      authorities.set(next);
    },
    close,
  };
}

/** A server without a port of its own: it serves connections that come through a tunnel. */
export interface StreamServer {
  accept(connection: Duplex): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Serves a handler to connections that are given to it. */
export function serveStreams(handler: Handler, options: Omit<ServeOptions, "host" | "port">): StreamServer {
  const { server } = createHttpServer(handler, options);
  const close = closer(server);
  return { accept: (connection) => void server.emit("connection", connection), close };
}

function createHttpServer(
  handler: Handler,
  options: ServeOptions,
): { readonly server: Server | Http2SecureServer; readonly authorities: ClientAuthorities } {
  const { tls } = options;
  const authorities = new ClientAuthorities(tls);
  const limits = { ...LIMITS, ...options.limits };
  const service = {
    handler,
    authorities,
    isOnDemand: options.bodies === "onDemand",
    body: { bytes: options.bodyLimitBytes ?? Infinity, timeoutMs: limits.requestMs },
  };
  const onRequest: Listener = (request, response) => {
    answer(service, request, response).catch((error: unknown) => fail(request, response, error));
  };
  const server = tls ? createTlsServer(tls, limits, onRequest) : createServer(timeouts(limits), onRequest);
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // A client that disconnects is not an error of the server.
    socket.on("error", () => undefined);
    upgrade(service, { request, socket, head }).catch(() => socket.destroy());
  };
  server.on("upgrade", onUpgrade);
  return { server, authorities };
}

/** Node's own limits of HTTP/1.1, which it checks now and then. */
function timeouts({ headersMs, requestMs, idleMs }: ServerLimits): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(5_000, headersMs),
    // Otherwise each request that offers HTTP/2 would be taken for one that asks for a tunnel.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
  };
}

function createTlsServer(tls: ServerTls, limits: ServerLimits, onRequest: Listener): Http2SecureServer {
  const server = createSecureServer(
    {
      ...contextOf(tls),
      ...timeouts(limits),
      allowHTTP1: true,
      handshakeTimeout: limits.headersMs,
      settings: { maxConcurrentStreams: limits.streams },
      // A client without a certificate may still have a token, so the handshake alone refuses no client.
      ...(tls.clientCa !== undefined && { requestCert: true, rejectUnauthorized: false }),
    },
    // Node's compatibility API makes HTTP/2 look like HTTP/1.1, but its types do not say so.
    onRequest as never,
  );
  server.on("session", (session) => closeWhenIdle(session, limits.idleMs));
  return server;
}

/** A quiet watch keeps its connection; a connection without any request does not. */
function closeWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  let streams = 0;
  session.on("stream", (opened) => {
    streams++;
    opened.once("close", () => streams--);
  });
  session.setTimeout(idleMs, () => {
    if (streams === 0) session.destroy();
  });
}

function contextOf({ cert, key, clientCa }: ServerTls): { cert: string; key: string; ca?: string[] } {
  return { cert, key, ...(clientCa !== undefined && { ca: [clientCa].flat() }) };
}

/** Identifies the client of a connection, and the authority that signed its certificate. */
class ClientAuthorities {
  #authorities: readonly X509Certificate[] = [];
  // A certificate is checked once per connection, not per request, because checking a signature is slow.
  readonly #peers = new WeakMap<object, Peer | undefined>();

  constructor(tls: ServerTls | undefined) {
    if (tls) this.set(tls);
  }

  set({ clientCa = [] }: ServerTls): void {
    this.#authorities = [clientCa].flat().map((pem) => new X509Certificate(pem));
  }

  /** The subject of a client certificate, if the handshake has verified one. */
  peerOf(request: IncomingMessage): Peer | undefined {
    // Each request on an HTTP/2 connection has a socket object of its own; they share the session.
    const connection = (request as { stream?: { session?: object } }).stream?.session ?? request.socket;
    if (!this.#peers.has(connection))
      this.#peers.set(connection, this.#identify(request.socket as TLSSocket));
    return this.#peers.get(connection);
  }

  #identify(socket: TLSSocket): Peer | undefined {
    if (!socket.authorized) return undefined;
    const certificate = socket.getPeerX509Certificate();
    // Two authorities may have the same name, so the signature decides.
    const authority =
      certificate &&
      this.#authorities.find((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
    if (!authority) return undefined;
    const { subject } = socket.getPeerCertificate();
    return {
      commonName: [subject.CN].flat()[0] ?? "",
      organizations: [subject.O ?? []].flat(),
      authority: authority.fingerprint256,
    };
  }
}

/** The handler of requests, and how they are read. */
interface Service {
  readonly handler: Handler;
  readonly authorities: ClientAuthorities;
  readonly isOnDemand: boolean;
  readonly body: BodyLimits;
}

interface BodyLimits {
  readonly bytes: number;
  readonly timeoutMs: number;
}

/** Closes immediately: a watch would keep a server open for minutes. */
function closer(server: Server | Http2SecureServer): () => Promise<void> {
  const sockets = new Set<{ destroy(): void }>();
  server.on("secureConnection", (socket: TLSSocket) => trackSocket(socket));
  server.on("connection", (socket: TLSSocket) => trackSocket(socket));
  const trackSocket = (socket: TLSSocket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A client that disconnects in the middle of a request is not an error of the server; its requests see the close.
    socket.on("error", () => undefined);
  };
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
}

async function answer(
  { handler, authorities, isOnDemand, body: limits }: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const incoming = new IncomingBody(request, limits);
  const body = isOnDemand ? undefined : await incoming.read();
  const readBody = isOnDemand && !incoming.isEmpty ? () => incoming.read() : undefined;
  const peer = authorities.peerOf(request);
  const reply = await handler(asked(request, response, { body, readBody, peer }));
  const { isWhole } = incoming;
  const { "transfer-encoding": encoding, ...rest } = reply.headers;
  const headers: Record<string, string> = rest;
  // The rest of a body that is too long or unwanted is not read, so the connection cannot be reused.
  if (!isWhole && request.httpVersionMajor === 1) headers["connection"] = "close";
  if (encoding === "chunked") {
    response.writeHead(reply.status, headers);
    await stream(reply, response);
  } else {
    const bytes = reply.bytes ? await reply.bytes() : Buffer.from(await reply.text());
    // With a known length an answer is one write; otherwise Node would send it in chunks.
    if (bytes.length > 0) headers["content-length"] = String(bytes.length);
    response.writeHead(reply.status, headers).end(bytes);
  }
  if (!isWhole) response.once("finish", () => request.destroy());
}

/** Asks the handler whether the client may have another protocol. Such a request has no body. */
async function upgrade({ handler, authorities }: Service, given: Upgrade): Promise<void> {
  const { request, socket } = given;
  const peer = authorities.peerOf(request);
  await answerUpgrade(
    given,
    await handler(asked(request, socket, { body: undefined, readBody: undefined, peer })),
  );
}

/** What a handler gets beside the head. */
interface Asked {
  readonly body: HttpRequest["body"];
  readonly readBody: HttpRequest["readBody"];
  readonly peer: Peer | undefined;
}

/** The request as handlers see it. Its signal is created on first use, because few requests are ever aborted. */
function asked(
  request: IncomingMessage,
  connection: ServerResponse | Duplex,
  { body, readBody, peer }: Asked,
): HttpRequest {
  let closed: AbortController | undefined;
  return {
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: headersOf(request),
    ...(body !== undefined && { body }),
    ...(readBody && { readBody }),
    ...(peer && { peer }),
    get signal() {
      if (!closed) {
        const controller = (closed = new AbortController());
        const abort = (): void => controller.abort(new Error("the client closed the connection"));
        if (connection.destroyed) abort();
        else connection.once("close", abort);
      }
      return closed.signal;
    },
  };
}

function fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  const status = error instanceof SlowBodyError ? 408 : 500;
  const isOld = request.httpVersionMajor === 1;
  if (!response.headersSent)
    response.writeHead(status, { "content-type": "text/plain", ...(isOld && { connection: "close" }) });
  response.once("finish", () => request.destroy());
  response.end(error instanceof Error ? error.message : String(error));
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (!name.startsWith(":")) all[name] = Array.isArray(value) ? value.join(", ") : String(value);
  }
  return all;
}

/** The body took too long. */
class SlowBodyError extends Error {}

/** The body of a request. The body of a GET has no meaning and is not read. */
class IncomingBody {
  readonly isEmpty: boolean;
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  #reading: Promise<string | Uint8Array | undefined> | undefined;
  #isWhole: boolean;

  constructor(request: IncomingMessage, limits: BodyLimits) {
    this.#request = request;
    this.#limits = limits;
    this.isEmpty = request.method === "GET" || request.method === "HEAD";
    this.#isWhole = this.isEmpty;
  }

  /** Whether all of it has been read. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Text for the handler to parse and refuse with its own message; bytes if the content type is binary. */
  async read(): Promise<string | Uint8Array | undefined> {
    if (this.isEmpty) return undefined;
    this.#reading ??= this.#collect();
    return this.#reading;
  }

  #collect(): Promise<string | Uint8Array | undefined> {
    const request = this.#request;
    const { bytes: limit, timeoutMs } = this.#limits;
    const chunks: Buffer[] = [];
    let length = 0;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new SlowBodyError(`the body of the request did not arrive within ${timeoutMs / 1000} s`));
      }, timeoutMs);
      const finish = (isWhole: boolean): void => {
        clearTimeout(timer);
        this.#isWhole = isWhole;
        resolve(length === 0 ? undefined : contentOf(request, Buffer.concat(chunks)));
      };
      request.on("data", (chunk: Buffer) => {
        if (length > limit) return;
        chunks.push(chunk);
        length += chunk.length;
        if (length <= limit) return;
        request.pause();
        finish(false);
      });
      request.once("end", () => finish(true));
      request.once("error", reject);
      request.once("close", () => {
        clearTimeout(timer);
        reject(new Error("the client closed the connection before the end of its request"));
      });
    });
  }
}

function contentOf(request: IncomingMessage, bytes: Buffer): string | Uint8Array {
  const isBinary = /protobuf|cbor|octet-stream/.test(request.headers["content-type"] ?? "");
  return isBinary ? bytes : bytes.toString("utf8");
}

/** Writes the stream and waits whenever the client reads more slowly. */
async function stream(reply: HttpResponse, response: ServerResponse): Promise<void> {
  response.flushHeaders();
  for await (const chunk of reply.chunks?.() ?? printed(reply.lines())) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

async function* printed(lines: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
}
