import { deepCopyWithin, NestingError, parseYaml, YamlError } from "@capstan/api";
import { badRequest, tooLarge, unsupportedMediaType } from "./status.ts";
import type { HttpRequest } from "@capstan/env";
import { jsonSyntaxProblem } from "./json-syntax.ts";
import { duplicateFields, parseJson } from "../json.ts";
import { decodeKubernetesProtobuf } from "../protobuf/decode.ts";
import { ProtobufError } from "../protobuf/protobuf-error.ts";
import { isTooDeep, NESTING_LIMIT } from "../schema/nesting.ts";

/** The longest body: kube-apiserver's own limit, twice what can be stored, because a body may have more than its object. */
export const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** The media type of a body, without parameters; empty if there is none. */
export function mediaType(request: HttpRequest): string {
  return (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** A decoded body. */
export interface Body {
  /** Always a copy, so that the caller may change its own value. */
  readonly value: unknown;
  /** The fields that occur more than once; the last one counts. */
  readonly duplicates: readonly string[];
}

const ACCEPTED = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/** The body of a create, update or delete. `expected` is the kind, for the error. */
export function readBody(request: HttpRequest, expected: string): Body {
  const { body } = request;
  const refuse = (problem: string): Error =>
    badRequest(
      `the object provided is unrecognized (must be of type ${expected}): ${problem} (${beginningOf(body)})`,
    );
  switch (mediaType(request)) {
    case "":
    case "application/json":
      return {
        value: parseBody(body, refuse),
        duplicates: typeof body === "string" ? duplicateFields(body) : [],
      };
    case "application/yaml":
      return { value: parseYamlBody(body, refuse), duplicates: [] };
    case "application/vnd.kubernetes.protobuf":
      return { value: parseProtobuf(body, refuse), duplicates: [] };
    default:
      throw unsupportedMediaType(
        `the body of the request was in an unknown format - accepted media types include: ${ACCEPTED}`,
      );
  }
}

const SHOWN_BYTES = 30;

/** Enough of a body to recognize the request: as text if it looks like JSON, else in hexadecimal digits. */
export function beginningOf(body: unknown): string {
  const bytes = body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(textOf(body));
  if (bytes.length === 0) return "<empty>";
  const text = bytes.subarray(0, SHOWN_BYTES).toString(bytes[0] === OPEN_BRACE ? "utf8" : "hex");
  return bytes.length > SHOWN_BYTES ? `${text} ...` : text;
}

const OPEN_BRACE = 123;

/** A value in-process may be too deep to be printed; its sender knows it. */
function textOf(body: unknown): string {
  if (typeof body === "string") return body;
  return body === undefined ? "" : "{...}";
}

function parseYamlBody(body: unknown, refuse: (problem: string) => Error): unknown {
  if (typeof body !== "string") throw refuse("the body is not text");
  if (body.length > BODY_LIMIT_BYTES) throw tooLarge(BODY_LIMIT_BYTES);
  try {
    return parseYaml(body);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw refuse(`yaml: ${error.message}`);
  }
}

function parseProtobuf(body: unknown, refuse: (problem: string) => Error): unknown {
  if (!(body instanceof Uint8Array)) throw refuse("the body is not binary");
  if (body.length > BODY_LIMIT_BYTES) throw tooLarge(BODY_LIMIT_BYTES);
  try {
    return decodeKubernetesProtobuf(body);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw refuse(error.message);
  }
}

/** Decodes a JSON value: a value in-process, text or bytes over a connection. */
export function parseBody(body: unknown, refuse: (problem: string) => Error): unknown {
  // A request without a body counts as one with an empty text.
  const sent = body ?? "";
  if (typeof sent !== "string" && !(sent instanceof Uint8Array)) return copyOf(sent, refuse);
  const value = parseText(sent, refuse);
  // Each level takes two characters at least.
  if (sent.length > 2 * NESTING_LIMIT && isTooDeep(value)) throw refuse(TOO_DEEP);
  return value;
}

const TOO_DEEP = `couldn't get version/kind; json parse error: exceeded max depth of ${NESTING_LIMIT}`;

function copyOf(value: unknown, refuse: (problem: string) => Error): unknown {
  try {
    return deepCopyWithin(value, NESTING_LIMIT);
  } catch (error) {
    if (!(error instanceof NestingError)) throw error;
    throw refuse(TOO_DEEP);
  }
}

function parseText(body: string | Uint8Array, refuse: (problem: string) => Error): unknown {
  if (body.length > BODY_LIMIT_BYTES) throw tooLarge(BODY_LIMIT_BYTES);
  const text = typeof body === "string" ? body : Buffer.from(body).toString("utf8");
  try {
    return parseJson(text);
  } catch {
    throw refuse(`couldn't get version/kind; json parse error: ${jsonSyntaxProblem(text)}`);
  }
}
