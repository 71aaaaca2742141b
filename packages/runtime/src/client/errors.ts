import { type HttpResponse, TransportError } from "@capstan/env";
import { Failure, type FailureClass, transient } from "../failure.ts";

/** The body Kubernetes sends with every error. */
interface Status {
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: { readonly name?: string; readonly retryAfterSeconds?: number };
}

/** The one table of what an answer of the API server means to us. */
const CLASSES: Readonly<Record<number, FailureClass>> = {
  400: "Terminal", // the request itself is wrong; the same one will not get better
  401: "Transient", // tokens expire and are renewed
  403: "Transient", // RBAC takes a while to spread, and admins fix it without touching our object
  404: "NotFound",
  405: "Terminal", // the kind does not offer this verb
  409: "Conflict",
  410: "Transient", // the version has been compacted; list again
  413: "Terminal", // the object is too large to be stored
  415: "Terminal", // the server does not speak this patch type
  422: "Terminal", // validation; the message names the field
};

// The same thing goes by several names, or by none at all when a proxy answers; the code is what they share.
const REASONS: Readonly<Record<number, string>> = {
  410: "Expired", // or Gone
  413: "RequestEntityTooLarge",
};

/** Turns an error answer into a Failure that says what was tried and what the server said. */
export async function failureOf(response: HttpResponse, attempt: string): Promise<Failure> {
  const status = await readStatus(response);
  return statusFailure({ ...status, code: response.status }, attempt, response.headers["retry-after"]);
}

/** The same for an ERROR event inside a watch stream, where the Status is all there is. */
export function statusFailure(status: Status, attempt: string, retryAfter?: string): Failure {
  const { code = 500, details } = withMeantCode(status);
  const message = `${attempt}: ${status.message?.trim() || `the server answered ${code}`}`;
  if (code === 404 && details?.name === undefined) {
    // The path itself is unknown: the kind is not served. An object that is merely absent is named in the details.
    return transient("KindNotServed", `${message}; is its CustomResourceDefinition installed?`);
  }
  const retry = afterSeconds(retryAfter ?? details?.retryAfterSeconds);
  return new Failure(CLASSES[code] ?? "Transient", reasonOf(code, status), {
    message,
    ...retry,
    outcomeUnknown: code >= 500,
  });
}

function reasonOf(code: number, { reason }: Status): string {
  return REASONS[code] ?? (reason || `HTTP${code}`);
}

/** etcd's refusal of a large object arrives as a bare 500: only its words tell it from a failure that passes. */
function withMeantCode(status: Status): Status {
  const isTooLarge = /etcdserver: request is too large|trying to send message larger than max/;
  return isTooLarge.test(status.message ?? "") ? { ...status, code: 413 } : status;
}

function afterSeconds(value: unknown): { retryAfterMs?: number } {
  const retryAfterMs = 1000 * Number(value);
  return retryAfterMs > 0 ? { retryAfterMs } : {};
}

/** Turns a broken connection and an answer that is no JSON into a Failure; everything else is passed on as it is. */
export function connectionFailure(error: unknown, attempt: string): unknown {
  if (error instanceof SyntaxError) {
    return transient("UnreadableAnswer", `${attempt}: the answer is not JSON: ${error.message}`, {
      cause: error,
      outcomeUnknown: true,
    });
  }
  if (!(error instanceof TransportError)) return error;
  return transient("ServerUnreachable", `${attempt}: ${error.message}`, {
    cause: error,
    outcomeUnknown: error.failure === "reset",
  });
}

async function readStatus(response: HttpResponse): Promise<Status> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as (Status & { readonly kind?: string }) | null;
    if (body?.kind === "Status") return body;
  } catch {
    // Proxies answer in HTML or plain text; that text is still the best explanation there is.
  }
  return { message: text.slice(0, 500) };
}
