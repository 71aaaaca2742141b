import type { Duplex } from "node:stream";

/** One HTTP request, over a socket or in-process. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly path: string;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value; strings and bytes are sent as they are. In-process it is passed by reference, not copied. */
  readonly body?: unknown;
  /** Reads the body, from a server that lets its handler decide on the head whether to read it; then `body` is absent. */
  readonly readBody?: () => Promise<unknown>;
  readonly signal?: AbortSignal;
  /** How much of the answer is read; without it 64 MiB. */
  readonly answerBytes?: ByteBudget;
  /** The client that the TLS handshake verified; the server sets it, never a header. */
  readonly peer?: Peer;
}

/**
 * The bytes that may still be read. A transport over sockets subtracts what it reads of a whole body, so that several
 * requests can share a budget; each line of a stream may have as many bytes as remain. In-process answers are not counted.
 */
export interface ByteBudget {
  remaining: number;
}

/** The subject of a verified client certificate. */
export interface Peer {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate of the authority that signed it, as `fingerprint256` of Node's X509Certificate. */
  readonly authority?: string;
}

/** The answer to an HttpRequest. The body is read once, by one of `json`, `text` and `lines`. */
export interface HttpResponse {
  readonly status: number;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body as JSON; in-process the value is shared with the server and therefore frozen. */
  json(): Promise<unknown>;
  /** The whole body as text. */
  text(): Promise<string>;
  /** The whole body as bytes, if it is binary. */
  readonly bytes?: () => Promise<Uint8Array>;
  /** The body as a stream of JSON values, one per line: a watch. Returning from the loop closes it. */
  lines(): AsyncIterable<unknown>;
  /**
   * The same lines as serialized text, all available ones at a time; from servers that share the text between watchers.
   */
  readonly chunks?: () => AsyncIterable<string>;
  /** For a request that asks for a port-forward: the server behind the port. A server over sockets connects the client to it. */
  readonly tunnel?: Tunnel;
}

/** A port that a client may connect to through the server that answered. */
export interface Tunnel {
  readonly port: number;
  /** Serves the connection. */
  accept(connection: Duplex): void;
}

/** Answers requests: a server, called over a socket or in-process. */
export type Handler = (request: HttpRequest) => Promise<HttpResponse>;

/** Sends requests to one server. Rejects only with a TransportError or the reason of an aborted signal. */
export interface Transport {
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Closes idle connections; pending requests end first. */
  close(): Promise<void>;
}

/**
 * Why no usable answer came. A request that ends with `reset` may have taken effect on the server; with `refused`, `lookup`,
 * `forbidden` (an address that must not be connected to) and `tls` it cannot have. With `oversized` it was answered, by more bytes than the request allows.
 */
export type TransportFailure = "refused" | "lookup" | "forbidden" | "tls" | "reset" | "oversized";

/** The server did not answer: the connection could not be opened, or broke, or the answer was too long to read. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly failure: TransportFailure;
  constructor(failure: TransportFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}
