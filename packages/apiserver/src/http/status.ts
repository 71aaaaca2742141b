import type { Kind } from "@capstan/api";
import { goQuote } from "../schema/go-text.ts";
import type { FieldProblem } from "../schema/problem.ts";
import { PROBLEMS_LIMIT } from "../schema/findings.ts";

/** One entry of `details.causes`. */
export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

/** The details of a Status beyond its message. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** Kubernetes' answer without an object. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

interface Failure {
  readonly code: number;
  readonly message: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly continueToken?: string;
}

/** A request that is answered with a Status. The messages are those of kube-apiserver 1.35. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: Status & { readonly code: number };
  /** Warnings beside the error. */
  warnings: readonly string[] = [];
  constructor(failure: Failure) {
    // It is an answer, and most of them are expected: callers never read the stack, and capturing it costs more than
    // the rest.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(failure.message);
    Error.stackTraceLimit = stackTraceLimit;
    const { code, message, reason, details, continueToken } = failure;
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: continueToken === undefined ? {} : { continue: continueToken },
      status: "Failure",
      message,
      ...(reason !== undefined && { reason }),
      ...(details && { details }),
      code,
    };
  }
}

/** The fields of a kind that a Status needs. */
type Named = Pick<Kind, "group" | "plural">;

/** `machines.cluster.x-k8s.io`, or the plural alone in the core group. */
export function qualifiedPlural(kind: Named): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** The `details` of a Status about one object. */
export function detailsOf(kind: Named, name: string): StatusDetails {
  return { name, ...(kind.group !== "" && { group: kind.group }), kind: kind.plural };
}

/** The object does not exist. */
export function notFound(kind: Named, name: string): ApiError {
  return new ApiError({
    code: 404,
    reason: "NotFound",
    message: `${qualifiedPlural(kind)} ${goQuote(name)} not found`,
    details: detailsOf(kind, name),
  });
}

/** The name is taken. */
export function alreadyExists(kind: Named, name: string): ApiError {
  return new ApiError({
    code: 409,
    reason: "AlreadyExists",
    message: `${qualifiedPlural(kind)} ${goQuote(name)} already exists`,
    details: detailsOf(kind, name),
  });
}

/** The write cannot be applied to the current state. */
export function conflict(kind: Named, name: string, why: string): ApiError {
  return new ApiError({
    code: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${qualifiedPlural(kind)} ${goQuote(name)}: ${why}`,
    details: detailsOf(kind, name),
  });
}

/** The client has not seen the newest state. */
export function modified(kind: Named, name: string): ApiError {
  return conflict(
    kind,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

/** The server does not allow this, for a reason other than missing permissions. */
export function forbidden(
  kind: Named,
  name: string,
  denial: { why: string; causes?: readonly StatusCause[] },
): ApiError {
  return new ApiError({
    code: 403,
    reason: "Forbidden",
    message: `${qualifiedPlural(kind)} ${goQuote(name)} is forbidden: ${denial.why}`,
    details: { ...detailsOf(kind, name), ...(denial.causes && { causes: denial.causes }) },
  });
}

/** What an invalid value belongs to: an object of a kind, or the options of a request. */
export interface Subject {
  readonly kind: string;
  readonly group: string;
  readonly name: string;
}

/** One or more fields have invalid values. */
export function invalid(subject: Subject, problems: readonly FieldProblem[]): ApiError {
  const { kind, group, name } = subject;
  const errors = problems.slice(0, PROBLEMS_LIMIT);
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new ApiError({
    code: 422,
    reason: "Invalid",
    message: `${group === "" ? kind : `${kind}.${group}`} ${goQuote(name)} is invalid: ${list}`,
    details: {
      ...(name !== "" && { name }),
      ...(group !== "" && { group }),
      ...(kind !== "" && { kind }),
      causes: errors.map(({ type, message, field }) => ({ reason: type, message, field })),
    },
  });
}

/** The options of a request have invalid values. */
export function invalidOptions(kind: string, errors: readonly FieldProblem[]): ApiError {
  return invalid({ kind, group: "meta.k8s.io", name: "" }, errors);
}

/** The request is malformed. */
export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: "BadRequest", message });
}

/**
 * An applied object does not fit the type of its kind. kube-apiserver answers 500 in these words; the user made the
 * mistake, so this server answers 422.
 */
export function typedPatchProblem(message: string): ApiError {
  return new ApiError({ code: 422, reason: "Invalid", message });
}

/** The requested version has been compacted. */
export function expired(message: string, continueToken?: string): ApiError {
  return new ApiError({
    code: 410,
    reason: "Expired",
    message,
    ...(continueToken !== undefined && { continueToken }),
  });
}

/** A version that this server has not reached, for example from before its data was reset. */
export function versionTooLarge(wanted: number, current: number): ApiError {
  return new ApiError({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}

/** The body exceeds the limit. */
export function tooLarge(limitBytes: number): ApiError {
  return new ApiError({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: limit is ${limitBytes}`,
  });
}

/** The media type of the body is not supported. */
export function unsupportedMediaType(message: string): ApiError {
  return new ApiError({ code: 415, reason: "UnsupportedMediaType", message });
}

/** No representation is acceptable to the client. */
export function notAcceptable(message: string): ApiError {
  return new ApiError({ code: 406, reason: "NotAcceptable", message });
}

/** There is no such resource. */
export function noSuchResource(): ApiError {
  return new ApiError({
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    details: {},
  });
}

/** A verb that resources of a custom kind do not support. */
export function verbNotSupported(kind: Named, verb: string): ApiError {
  const { group, plural } = kind;
  return new ApiError({
    code: 405,
    reason: "MethodNotAllowed",
    message: `${verb} is not supported on resources of kind "${qualifiedPlural(kind)}"`,
    details: { group, kind: plural },
  });
}

/** The method is not allowed on the path. */
export function methodNotAllowed(): ApiError {
  return new ApiError({
    code: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
    details: {},
  });
}

/** The server failed; kube-apiserver gives some such answers no reason, which clients must not rely on. */
export function failed(message: string): ApiError {
  return new ApiError({ code: 500, message });
}

/** No server answers for the requested Service. */
export function serviceUnavailable(message: string): ApiError {
  return new ApiError({ code: 503, reason: "ServiceUnavailable", message });
}

/** A defect of the server. */
export function internalError(message: string): ApiError {
  return new ApiError({
    code: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}
