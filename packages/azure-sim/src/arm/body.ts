import { frozenCopy, isObject, type JsonObject } from "../json.ts";
import { ArmError } from "./errors.ts";

/** The body of a request as a frozen object; undefined when there is none. */
export function parseBody(body: unknown, contentType: string | undefined): JsonObject | undefined {
  if (body === undefined || body === null || body === "") return undefined;
  if (contentType !== undefined && !/^application\/([a-z.+-]*\+)?json\b/i.test(contentType)) {
    throw new ArmError(415, {
      code: "UnsupportedMediaType",
      message: `The content media type '${contentType}' is not supported. Only 'application/json' is supported.`,
    });
  }
  const value = parsed(body);
  if (!isObject(value)) throw invalidContent("expected a JSON object");
  if (isDeeperThan(value, MAX_DEPTH)) throw invalidContent(`it is nested deeper than ${MAX_DEPTH} levels`);
  return frozenCopy(value);
}

// No resource of Azure is nested half as deep; what follows walks bodies recursively.
const MAX_DEPTH = 100;

/** Works level by level, because a recursive walk of a hostile body would overflow the stack. */
function isDeeperThan(value: unknown, depth: number): boolean {
  let level: readonly unknown[] = [value];
  for (let left = depth; level.length > 0; left--) {
    if (left < 0) return true;
    level = level.flatMap((one): unknown[] =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}

function parsed(body: unknown): unknown {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString("utf8") : body;
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalidContent((error as Error).message);
  }
}

function invalidContent(why: string): ArmError {
  return new ArmError(400, {
    code: "InvalidRequestContent",
    message: `The request content was invalid and could not be deserialized: '${why}'.`,
  });
}

/** The body of a request that must have one. */
export function requireBody(body: JsonObject | undefined): JsonObject {
  if (body) return body;
  throw invalidContent("the request has no body");
}
