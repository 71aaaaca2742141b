import { type HttpResponse, TransportError } from "@capstan/env";
import { Failure, type FailureClass, transient } from "../failure.ts";

/** The body Kubernetes sends with every error. */
interface Status {
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string }[];
  };
}

/** The one table of the API server's status codes and their failure classes. */
const CLASSES: Readonly<Record<number, FailureClass>> = {
  400: "Terminal", // the request itself is wrong; a retry does not help
  401: "Transient", // tokens expire and are renewed
  403: "Transient", // RBAC changes take a while, and admins make them without touching the object
  404: "NotFound",
  405: "Terminal", // the kind does not offer this verb
  409: "Conflict",
  410: "Transient", // the version has been compacted; list again
  413: "Terminal", // the object is too large to be stored
  415: "Terminal", // the server does not support this patch type
  422: "Terminal", // validation; the message names the field
};

const FIELD_CONFLICT = "FieldManagerConflict";

// The same error has several reasons, or none when a proxy answers; the code is common to all.
const REASONS: Readonly<Record<number, string>> = {
  410: "Expired", // or Gone
  413: "RequestEntityTooLarge",
};

/** Converts an error answer to a Failure with the attempt and the server's message. */
export async function failureOf(response: HttpResponse, attempt: string): Promise<Failure> {
  const status = await readStatus(response);
  return statusFailure({ ...status, code: response.status }, attempt, response.headers["retry-after"]);
}

/** The same for an ERROR event in a watch stream, which has only the Status. */
export function statusFailure(status: Status, attempt: string, retryAfter?: string): Failure {
  const { code = 500, details } = withMeantCode(status);
  const message = `${attempt}: ${status.message?.trim() || `the server answered ${code}`}`;
  if (isUnknownPath(code, details)) {
    return transient("KindNotServed", `${message}; is its CustomResourceDefinition installed?`);
  }
  if (isFieldConflict(status)) return new Failure("Terminal", FIELD_CONFLICT, { message });
  const retry = afterSeconds(retryAfter ?? details?.retryAfterSeconds);
  return new Failure(CLASSES[code] ?? "Transient", reasonOf(code, status), {
    message,
    ...retry,
    outcomeUnknown: code >= 500,
  });
}

/** Whether the kind is not served. A missing object would be named in the details. */
function isUnknownPath(code: number, details: Status["details"]): boolean {
  return code === 404 && details?.name === undefined;
}

/**
 * Whether another client owns a field that this one applies. A retry gives the same answer, unlike after a stale
 * version.
 */
function isFieldConflict({ details }: Status): boolean {
  return details?.causes?.some(({ reason }) => reason === FIELD_CONFLICT) ?? false;
}

function reasonOf(code: number, { reason }: Status): string {
  return REASONS[code] ?? (reason || `HTTP${code}`);
}

/** etcd refuses a large object with a bare 500: only the message distinguishes it from a transient failure. */
function withMeantCode(status: Status): Status {
  const isTooLarge = /etcdserver: request is too large|trying to send message larger than max/;
  return isTooLarge.test(status.message ?? "") ? { ...status, code: 413 } : status;
}

function afterSeconds(value: unknown): { retryAfterMs?: number } {
  const retryAfterMs = 1000 * Number(value);
  return retryAfterMs > 0 ? { retryAfterMs } : {};
}

/** Converts a broken connection and an answer that is not JSON to a Failure; other errors are passed on. */
export function connectionFailure(error: unknown, attempt: string): unknown {
  if (error instanceof SyntaxError) {
    return transient("UnreadableAnswer", `${attempt}: the answer is not JSON: ${error.message}`, {
      cause: error,
      outcomeUnknown: true,
    });
  }
  if (!(error instanceof TransportError)) return error;
  if (error.failure === "oversized") {
    return transient("AnswerTooLarge", `${attempt}: ${error.message}`, {
      cause: error,
      outcomeUnknown: true,
    });
  }
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
    // Proxies answer in HTML or plain text; that text is the best available explanation.
  }
  return { message: text.slice(0, 500) };
}
