import { type Clock, type HttpRequest, type Transport, TransportError } from "@capstan/env";
import { isObject, type JsonObject } from "../request-body.ts";

/** The way to the updater under test. */
export interface CallerPorts {
  readonly transport: Transport;
  readonly clock: Pick<Clock, "timer">;
}

/** What came back; `problem` says why nothing did. */
export interface Received {
  readonly status: number;
  /** The body, if it is a JSON object. */
  readonly json?: JsonObject;
  readonly text: string;
  readonly problem?: string;
}

/** A request of the kit. */
export interface Sent extends Pick<HttpRequest, "path" | "body"> {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
}

/** Cluster API's controllers read as much. */
const ANSWER_BYTES = 20 * 1024 * 1024;

/** Sends one request and waits for its answer as long as a controller would. */
export async function send({ transport, clock }: CallerPorts, request: Sent): Promise<Received> {
  const { path, body, method = "POST", headers = {}, timeoutSeconds } = request;
  const limit = new AbortController();
  const late = `did not answer within ${timeoutSeconds} s`;
  const timer = clock.timer(timeoutSeconds * 1000, () => limit.abort(new Error(late)));
  try {
    const response = await transport.request({
      method,
      path,
      headers,
      ...(body !== undefined && { body }),
      signal: limit.signal,
      answerBytes: { remaining: ANSWER_BYTES },
    });
    const text = await response.text();
    const json = parsed(text);
    return { status: response.status, text, ...(json && { json }) };
  } catch (error) {
    const problem = limit.signal.aborted ? late : reasonOf(error);
    return { status: 0, text: "", problem };
  } finally {
    timer.cancel();
  }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const FAILURES: Readonly<Record<TransportError["failure"], string>> = {
  refused: "the connection was refused",
  lookup: "its host has no address",
  forbidden: "its host is an address that must not be connected to",
  tls: "its certificate is not valid for its host, or the given authority did not sign it",
  reset: "the connection broke before the answer",
  oversized: "it answered with more than 20 MiB",
};

function reasonOf(error: unknown): string {
  if (error instanceof TransportError) return FAILURES[error.failure];
  return error instanceof Error ? error.message : String(error);
}
