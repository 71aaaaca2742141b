import {
  createEmptyPipeline,
  createHttpHeaders,
  createPipelineRequest,
  type HttpMethods,
  setClientRequestIdPolicy,
} from "@azure/core-rest-pipeline";
import { abortError, type Env, TransportError } from "@capstan/env";
import type { TokenSource } from "../credentials/token-source.ts";
import { AzureError } from "../port.ts";
import { type Connect, httpClientOver } from "./http-client.ts";

/** One request on the wire. */
interface WireRequest {
  readonly method: HttpMethods;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** One answer on the wire. */
export interface WireAnswer {
  readonly status: number;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends one request and returns its answer, with any status. */
export type Exchange = (request: WireRequest) => Promise<WireAnswer>;

export interface ExchangeOptions {
  /** Scheme and host of the resource manager. */
  readonly endpoint: string;
  readonly connect: Connect;
  readonly tokens: TokenSource;
  readonly env: Env;
}

// ARM gives up on its providers after about a minute; a later answer does not come.
const TIMEOUT_MS = 90_000;
const USER_AGENT = "capstan";

/** Requests to one resource manager through Azure's own pipeline, without any retries or waits. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { endpoint, env, tokens } = options;
  const client = httpClientOver(options.connect);
  const pipeline = createEmptyPipeline();
  pipeline.addPolicy(setClientRequestIdPolicy());
  return async (request) => {
    // Azure's own policy compares the token's expiry with the machine's clock; here the token source uses the env clock.
    const token = await tokens.token();
    const deadline = new AbortController();
    const timer = env.clock.timer(TIMEOUT_MS, () => deadline.abort(new Error("the deadline has passed")));
    const signal = request.signal ? AbortSignal.any([request.signal, deadline.signal]) : deadline.signal;
    const authorization = `Bearer ${token.reveal()}`;
    try {
      const answer = await pipeline.sendRequest(
        client,
        createPipelineRequest({
          url: endpoint + request.path,
          method: request.method,
          headers: createHttpHeaders({ ...request.headers, authorization, "user-agent": USER_AGENT }),
          ...(request.body !== undefined && { body: request.body }),
          abortSignal: signal,
          requestId: env.uuid(),
        }),
      );
      // Azure rejected the token; the next call requests a new one.
      if (answer.status === 401) tokens.forget();
      return { status: answer.status, headers: answer.headers.toJSON(), text: answer.bodyAsText ?? "" };
    } catch (error) {
      throw explain(error, request, deadline.signal.aborted);
    } finally {
      timer.cancel();
    }
  };
}

function explain(error: unknown, request: WireRequest, isLate: boolean): Error {
  if (error instanceof AzureError) return error;
  if (request.signal?.aborted) return abortError(request.signal);
  if (isLate) {
    const message = `Azure did not answer within ${TIMEOUT_MS / 1000} s`;
    return new AzureError({ class: "Transient", code: "RequestTimedOut", message, isOutcomeUnknown: true });
  }
  if (error instanceof TransportError && error.failure === "oversized") return unreadable(error.message);
  if (error instanceof TransportError) {
    const isOutcomeUnknown = error.failure === "reset";
    return new AzureError({
      class: "Transient",
      code: "AzureUnreachable",
      message: error.message,
      isOutcomeUnknown,
    });
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** An invalid answer; the request may have been executed. */
export function unreadable(message: string): AzureError {
  return new AzureError({ class: "Transient", code: "UnreadableAnswer", message, isOutcomeUnknown: true });
}
