/** One HTTP request, on the wire or in-process. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly path: string;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value; a string or bytes travel as they are. In-process it is handed over, not copied. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Who the TLS handshake proved the caller to be; set by the server's side of a connection, never by a header. */
  readonly peer?: Peer;
}

/** The subject of a client certificate that was verified. */
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
  /** The whole body as bytes, where it is no text. */
  readonly bytes?: () => Promise<Uint8Array>;
  /** The body as a stream of JSON values, one a line: a watch. Returning from the loop closes it. */
  lines(): AsyncIterable<unknown>;
  /** The same lines as text that is printed already, as many at a time as there are; from servers that can share it. */
  readonly chunks?: () => AsyncIterable<string>;
}

/** Answers requests: what a server is, whether called over a socket or in-process. */
export type Handler = (request: HttpRequest) => Promise<HttpResponse>;

/** Sends requests to one server. Rejects only with a TransportError or the reason of an aborted signal. */
export interface Transport {
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Closes idle connections; requests under way end first. */
  close(): Promise<void>;
}

/** Why no answer came. `reset` may have had an effect on the server; `refused`, `lookup` and `tls` cannot have. */
export type TransportFailure = "refused" | "lookup" | "tls" | "reset";

/** No answer came from the server: a connection that could not be made or that broke. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly failure: TransportFailure;
  constructor(failure: TransportFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}
