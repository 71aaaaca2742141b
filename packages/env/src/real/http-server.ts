import { X509Certificate } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Handler, HttpRequest, HttpResponse, Peer } from "../transport.ts";

/** The address and protocol of a server. */
export interface ServeOptions {
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port?: number;
  /** Serves HTTP/2 and HTTP/1.1 over TLS; without it plain HTTP/1.1. */
  readonly tls?: ServerTls;
  /** The server reads bodies up to this length plus one byte: enough for the handler to detect one that is too long. */
  readonly bodyLimitBytes?: number;
}

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
  const { host = "127.0.0.1", port = 0, tls } = options;
  const authorities = new ClientAuthorities(tls);
  const service = { handler, authorities, limit: options.bodyLimitBytes ?? Infinity };
  const onRequest: Listener = (request, response) => {
    answer(service, request, response).catch((error: unknown) => fail(response, error));
  };
  const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
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

function createTlsServer(tls: ServerTls, onRequest: Listener): Http2SecureServer {
  return createSecureServer(
    {
      ...contextOf(tls),
      allowHTTP1: true,
      // A client without a certificate may still have a token, so the handshake alone refuses no client.
      ...(tls.clientCa !== undefined && { requestCert: true, rejectUnauthorized: false }),
    },
    // Node's compatibility API makes HTTP/2 look like HTTP/1.1, but its types do not say so.
    onRequest as never,
  );
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

/** The handler of requests, and how much of a body it reads. */
interface Service {
  readonly handler: Handler;
  readonly authorities: ClientAuthorities;
  readonly limit: number;
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
  { handler, authorities, limit }: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { body, isWhole } = hasBody(request) ? await readBody(request, limit) : NO_BODY;
  const peer = authorities.peerOf(request);
  const reply = await handler(asked(request, response, { body, peer }));
  const { "transfer-encoding": encoding, ...rest } = reply.headers;
  const headers: Record<string, string> = rest;
  // The rest of a body that is too long is not read, so the connection cannot be reused.
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

/** The request as handlers see it. Its signal is created on first use, because few requests are ever aborted. */
function asked(
  request: IncomingMessage,
  response: ServerResponse,
  { body, peer }: { readonly body: HttpRequest["body"]; readonly peer: Peer | undefined },
): HttpRequest {
  let closed: AbortController | undefined;
  return {
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: headersOf(request),
    ...(body !== undefined && { body }),
    ...(peer && { peer }),
    get signal() {
      if (!closed) {
        const controller = (closed = new AbortController());
        const abort = (): void => controller.abort(new Error("the client closed the connection"));
        if (response.destroyed) abort();
        else response.once("close", abort);
      }
      return closed.signal;
    },
  };
}

function fail(response: ServerResponse, error: unknown): void {
  if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
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

interface ReadBody {
  readonly body: string | Uint8Array | undefined;
  /** False if it exceeds the limit. */
  readonly isWhole: boolean;
}

const NO_BODY: ReadBody = { body: undefined, isWhole: true };

/** Whether to wait for a body. The body of a GET has no meaning. */
function hasBody({ method }: IncomingMessage): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Text for the handler to parse and refuse with its own message; bytes if the content type is binary. */
function readBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  const isBinary = /protobuf|cbor|octet-stream/.test(request.headers["content-type"] ?? "");
  const read = (isWhole: boolean): ReadBody => {
    if (length === 0) return NO_BODY;
    const bytes = Buffer.concat(chunks);
    return { body: isBinary ? bytes : bytes.toString("utf8"), isWhole };
  };
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      if (length > limit) return;
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) {
        request.pause();
        resolve(read(false));
      }
    });
    request.once("end", () => resolve(read(true)));
    request.once("error", reject);
  });
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
