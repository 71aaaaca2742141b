import { deepCopy } from "@capstan/api";
import { badRequest, tooLarge, unsupportedMediaType } from "./status.ts";
import type { HttpRequest } from "@capstan/env";
import { isTooDeep, NESTING_LIMIT } from "../schema/nesting.ts";

// kube-apiserver's own limit: twice what can be stored, because a body may carry more than its object.
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** The media type of a body, without parameters; empty when none is named. */
export function mediaType(request: HttpRequest): string {
  return (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The body of a create, update or delete: always a copy, so that the caller's value can change without harm. */
export function readJson(request: HttpRequest, expected: string): unknown {
  const type = mediaType(request);
  if (type !== "" && type !== "application/json") {
    throw unsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: application/json",
    );
  }
  return parseBody(request.body, (problem) =>
    badRequest(`the object provided is unrecognized (must be of type ${expected}): ${problem}`),
  );
}

/** A JSON value out of what travelled: a value in-process, text or bytes over a wire. */
export function parseBody(body: unknown, refuse: (problem: string) => Error): unknown {
  const isText = typeof body === "string" || body instanceof Uint8Array;
  const value = isText ? parseText(body, refuse) : body;
  if (isTooDeep(value))
    throw refuse(`couldn't get version/kind; json parse error: exceeded max depth of ${NESTING_LIMIT}`);
  return isText ? value : deepCopy(value);
}

function parseText(body: string | Uint8Array, refuse: (problem: string) => Error): unknown {
  if (body.length > BODY_LIMIT_BYTES) throw tooLarge(BODY_LIMIT_BYTES);
  try {
    return JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString("utf8")) as unknown;
  } catch (error) {
    throw refuse(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}
