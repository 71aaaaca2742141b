import type { ExtensionConfig, Frozen } from "@capstan/api";
import { type Clock, type Transport, TransportError, type TransportFailure } from "@capstan/env";
import { Failure, type MetricRegistry, transient } from "@capstan/runtime";
import { invalidAnswer, plainText } from "./messages.ts";

/** The address of an extension and how to verify it. */
export interface ExtensionAddress {
  /** Scheme, host, port, and the path before that of the hook. */
  readonly url: string;
  /** The only authority to trust, as PEM. */
  readonly authority: string | undefined;
}

/** Opens a connection to an extension. */
export type ConnectToExtension = (address: ExtensionAddress) => Transport;

/** One request to an extension. */
interface HookCall {
  readonly config: Frozen<ExtensionConfig>;
  /** The hook, for metrics and messages. */
  readonly hook: string;
  readonly path: string;
  readonly body: object;
  readonly timeoutMs: number;
}

/** Calls extensions. */
export interface HookClient {
  /** The JSON of the answer. Throws a Failure that says what is wrong with the extension. */
  call(call: HookCall): Promise<unknown>;
}

export interface HookClientOptions {
  readonly clock: Clock;
  readonly connect: ConnectToExtension;
  /** Throws when this process must not write any more: an updater changes machines. */
  readonly assertMayWrite: () => void;
  readonly metrics?: MetricRegistry | undefined;
}

// An answer is a few paths; Cluster API's limit of 20 MiB would fill the memory of a manager that calls many updaters.
const ANSWER_BYTES = 1024 * 1024;

/** Sends each call once, within its time and a limit of bytes; redirects are not followed. */
export function createHookClient(options: HookClientOptions): HookClient {
  const transports = new Transports(options.connect);
  const durations = options.metrics?.histogram({
    name: "capstan_runtime_hook_duration_seconds",
    help: "How long extensions take to answer, by extension, hook and result.",
    labels: ["extension", "hook", "result"],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  });
  return {
    call: async (call) => {
      const startedMs = options.clock.monotonic();
      const observe = (result: string): void => {
        const seconds = (options.clock.monotonic() - startedMs) / 1000;
        durations?.observe([call.config.metadata.name, call.hook, result], seconds);
      };
      try {
        const answer = await send(options, transports, call);
        observe("Answered");
        return answer;
      } catch (error) {
        observe(error instanceof Failure ? error.reason : "Bug");
        throw error;
      }
    },
  };
}

async function send(options: HookClientOptions, transports: Transports, call: HookCall): Promise<unknown> {
  const { clock } = options;
  const limit = new AbortController();
  const timer = clock.timer(call.timeoutMs, () =>
    limit.abort(transient("HookTimeout", `did not answer within ${call.timeoutMs / 1000} s`)),
  );
  options.assertMayWrite();
  try {
    const response = await transports.to(addressOf(call.config)).request({
      method: "POST",
      path: call.path,
      headers: { "content-type": "application/json", accept: "application/json", "user-agent": "capstan" },
      body: call.body,
      answerBytes: { remaining: ANSWER_BYTES },
      signal: limit.signal,
    });
    const text = await response.text();
    if (text.length > ANSWER_BYTES) throw new TransportError("oversized", "");
    if (response.status !== 200) throw refused(response.status, text);
    return parsed(text);
  } catch (error) {
    throw failureOf(error);
  } finally {
    timer.cancel();
  }
}

function refused(status: number, text: string): Failure {
  const isRedirect = status >= 300 && status < 400;
  const said = isRedirect ? "a redirect, which is not followed" : plainText(text, 256);
  return invalidAnswer("HookRefused", `answered with HTTP status ${status}: ${said || "no text"}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidAnswer(
      "InvalidAnswer",
      `must answer with JSON, but answered ${JSON.stringify(plainText(text, 64))}`,
    );
  }
}

const PROBLEMS: Readonly<Record<TransportFailure, readonly [reason: string, message: string]>> = {
  refused: ["ConnectionRefused", "the connection was refused; does the extension run?"],
  lookup: ["UnknownHost", "its host has no address; check spec.clientConfig"],
  forbidden: [
    "ForbiddenAddress",
    "its host is a link-local or metadata address, which is never connected to; correct spec.clientConfig",
  ],
  tls: [
    "UntrustedCertificate",
    "its certificate is not valid for its host, or spec.clientConfig.caBundle did not sign it",
  ],
  reset: ["ConnectionReset", "the connection broke before the answer"],
  oversized: ["AnswerTooLong", `answered with more than ${ANSWER_BYTES} bytes`],
};

function failureOf(error: unknown): unknown {
  if (!(error instanceof TransportError)) return error;
  const [reason, message] = PROBLEMS[error.failure];
  return transient(reason, message, { cause: error });
}

/** The address of the extension of an ExtensionConfig. */
function addressOf({ spec }: Frozen<ExtensionConfig>): ExtensionAddress {
  const { url, service, caBundle } = spec.clientConfig;
  const authority = caBundle === undefined ? undefined : Buffer.from(caBundle, "base64").toString();
  if (url !== undefined) return { url: url.replace(/\/$/, ""), authority };
  const { name = "", namespace = "", path = "", port = 443 } = service ?? {};
  return { url: `https://${name}.${namespace}.svc:${port}${path.replace(/\/$/, "")}`, authority };
}

const MOST_TRANSPORTS = 100;

/** Connections by address and authority: a new certificate authority gets a new connection. */
class Transports {
  readonly #open = new Map<string, Transport>();
  readonly #connect: ConnectToExtension;

  constructor(connect: ConnectToExtension) {
    this.#connect = connect;
  }

  to(address: ExtensionAddress): Transport {
    const key = `${address.url}\n${address.authority ?? ""}`;
    const known = this.#open.get(key);
    if (known) return known;
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= MOST_TRANSPORTS) {
      void this.#open.get(oldest)?.close();
      this.#open.delete(oldest);
    }
    const transport = this.#connect(address);
    this.#open.set(key, transport);
    return transport;
  }
}
