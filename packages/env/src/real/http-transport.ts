import { Agent, type Dispatcher, ProxyAgent, errors } from "undici";
import { abortError } from "../clock.ts";
import {
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
  type TransportFailure,
} from "../transport.ts";
import { type BodyReading, readLines, readText } from "./body.ts";
import {
  HOST_ADDRESS_CODE,
  hostAddressError,
  isHostAddress,
  lookupWithoutHostAddresses,
  type Resolve,
} from "./host-addresses.ts";

/** The address of a server and how to verify it. */
export interface HttpTransportOptions {
  /** Scheme, host and port, and a path prefix if the server has one. */
  readonly baseUrl: string;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string;
  /** PEM client certificate and key. */
  readonly cert?: string;
  readonly key?: string;
  /** Name to expect in the server's certificate when it is not the host of the URL. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  /** URL of an HTTP proxy. */
  readonly proxyUrl?: string;
  /** Whether a host may have an address of this machine's metadata services: not one that a user names. */
  readonly hostAddresses?: "allow" | "refuse";
  /** Resolves names of hosts; the system does unless given. */
  readonly resolve?: Resolve;
}

// Ten times the longest answers that our servers and Azure are known to give.
const ANSWER_BYTES = 64 * 1024 * 1024;

/** A transport over real sockets. It has no timeouts of its own: callers bound each request by its signal. */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const base = new URL(options.baseUrl);
  const { origin, hostname } = base;
  return transportThrough({
    dispatcher: createDispatcher(options),
    origin,
    prefix: base.pathname === "/" ? "" : base.pathname.replace(/\/$/, ""),
    explain: sentenceFor(origin),
    refuse: () => {
      // An address in the URL is not looked up.
      if (options.hostAddresses === "refuse" && isHostAddress(hostname))
        throw hostAddressError(hostname, hostname);
    },
  });
}

/** Says why a request failed, in words that name the server. */
export type ExplainFailure = (failure: TransportFailure, cause: Error, request: HttpRequest) => string;

/** The connections to one server, and the words for their failures. */
export interface TransportParts {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** What the server's paths begin with. */
  readonly prefix?: string;
  readonly explain: ExplainFailure;
  /** Throws if the server must not be connected to. */
  readonly refuse?: () => void;
}

/** A transport through undici's connections, however they are opened. */
export function transportThrough(parts: TransportParts): Transport {
  const { dispatcher, origin, prefix = "", refuse } = parts;
  return {
    async request(request: HttpRequest): Promise<HttpResponse> {
      if (request.signal?.aborted) throw abortError(request.signal);
      const translate = (error: unknown): Error => translated(error, request, parts.explain);
      try {
        refuse?.();
        const asked = dispatcher.request({
          origin,
          path: prefix + request.path,
          method: request.method,
          headers: request.headers,
          body: encode(request.body),
          ...(request.signal && { signal: request.signal }),
        });
        const answer = await (request.signal ? endedBy(request.signal, asked) : asked);
        return decode(answer, request, translate);
      } catch (error) {
        throw translate(error);
      }
    },
    close: () => dispatcher.close(),
  };
}

/** undici aborts a request only once it has a connection; the caller must not wait for that. */
function endedBy<T>(signal: AbortSignal, asked: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortError(signal));
    signal.addEventListener("abort", abort, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function createDispatcher(options: HttpTransportOptions): Dispatcher {
  const tls = {
    ...(options.ca !== undefined && { ca: options.ca }),
    ...(options.cert !== undefined && { cert: options.cert }),
    ...(options.key !== undefined && { key: options.key }),
    ...(options.serverName !== undefined && { servername: options.serverName }),
    ...(options.insecureSkipVerify && { rejectUnauthorized: false }),
    ...(options.hostAddresses === "refuse" && { lookup: lookupWithoutHostAddresses(options.resolve) }),
  };
  // Both timeouts are off because a quiet watch is healthy; the client ends a request by its signal.
  const common = { headersTimeout: 0, bodyTimeout: 0 };
  return options.proxyUrl === undefined
    ? new Agent({ ...common, connect: tls })
    : new ProxyAgent({ ...common, uri: options.proxyUrl, requestTls: tls });
}

function encode(body: unknown): string | Uint8Array | null {
  if (body === undefined) return null;
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}

function decode(
  answer: Dispatcher.ResponseData,
  request: HttpRequest,
  translate: BodyReading["translate"],
): HttpResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const body = answer.body as AsyncIterable<Buffer>;
  const reading: BodyReading = {
    translate,
    budget: request.answerBytes ?? { remaining: ANSWER_BYTES },
  };
  return {
    status: answer.statusCode,
    headers,
    text: () => readText(body, reading),
    json: async () => JSON.parse(await readText(body, reading)) as unknown,
    lines: () => readLines(body, reading),
  };
}

/** Turns what undici, the socket or TLS threw into the closed set. */
function translated(error: unknown, request: HttpRequest, explain: ExplainFailure): Error {
  if (request.signal?.aborted) return abortError(request.signal);
  const cause = error instanceof Error ? error : new Error(String(error));
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const failure = cause instanceof TransportError ? cause.failure : classify(code, cause);
  return new TransportError(failure, explain(failure, cause, request), cause);
}

function sentenceFor(origin: string): ExplainFailure {
  return (failure, cause, { method, path }) => {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    return {
      refused: `no server answers at ${origin}: ${cause.message}; check the address, and that the server runs`,
      forbidden: `${origin} is not connected to: ${cause.message}`,
      lookup: `the host name of ${origin} cannot be resolved: ${cause.message}`,
      tls: `the certificate of ${origin} is not trusted: ${cause.message} (${code}); check the CA bundle in the kubeconfig`,
      oversized: `${origin} sent too long an answer to ${method} ${path}: ${cause.message}`,
      reset: `the connection to ${origin} broke during ${method} ${path}: ${cause.message || code}`,
    }[failure];
  };
}

const CODES: Readonly<Record<string, TransportFailure>> = {
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  EADDRNOTAVAIL: "refused",
  UND_ERR_CONNECT_TIMEOUT: "refused",
  [HOST_ADDRESS_CODE]: "forbidden",
  ENOTFOUND: "lookup",
  EAI_AGAIN: "lookup",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  UNABLE_TO_GET_ISSUER_CERT: "tls",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls",
  CERT_HAS_EXPIRED: "tls",
  CERT_NOT_YET_VALID: "tls",
  CERT_SIGNATURE_FAILURE: "tls",
};

function classify(code: string, cause: Error): TransportFailure {
  if (cause instanceof AggregateError && cause.errors.length > 0) {
    // A name with several addresses fails with all their errors at once; they share one kind.
    return classify((cause.errors[0] as NodeJS.ErrnoException).code ?? "", cause.errors[0] as Error);
  }
  if (cause instanceof errors.ConnectTimeoutError) return "refused";
  return CODES[code] ?? (/^ERR_(TLS|SSL)_/.test(code) ? "tls" : "reset");
}
