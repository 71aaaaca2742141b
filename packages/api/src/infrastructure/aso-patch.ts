/** A patch of a user on top of the ASO resource that we compute: parsed from YAML or JSON, and checked for its form. */
import { isJsonObject } from "../values/json-object.ts";
import { YamlError, parseYaml } from "../values/yaml.ts";

/** A step of a JSON patch (RFC 6902). */
export type AsoPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** A patch: an object is a JSON merge patch (RFC 7386), a list is a JSON patch (RFC 6902). */
export type AsoPatch =
  | { readonly type: "merge"; readonly body: Readonly<Record<string, unknown>> }
  | { readonly type: "json"; readonly body: readonly AsoPatchOperation[] };

/** A text that is not a patch; the message says what is expected. */
export class AsoPatchError extends Error {
  override readonly name = "AsoPatchError";
}

/** Parses a patch. Throws an AsoPatchError if the text is not one. */
export function parseAsoPatch(text: string): AsoPatch {
  const body = parsed(text);
  refuseUnsafe(body, "");
  if (isJsonObject(body)) return { type: "merge", body };
  if (!Array.isArray(body)) {
    throw new AsoPatchError("must be an object (JSON merge patch) or a list of operations (JSON patch)");
  }
  if (body.length === 0) throw new AsoPatchError("must have at least one operation");
  return { type: "json", body: body.map(checkedOperation) };
}

/** The segments of a JSON pointer such as `/spec/field`; undefined if it is not one. */
export function parsePointer(pointer: unknown): readonly string[] | undefined {
  if (pointer === "") return [];
  if (typeof pointer !== "string" || !pointer.startsWith("/") || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The JSON pointer with the given segments. */
export function formatPointer(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function parsed(text: string): unknown {
  if (text.startsWith("\uFEFF")) throw new AsoPatchError("must not begin with a byte order mark");
  try {
    return parseYaml(text);
  } catch (error) {
    throw error instanceof YamlError ? new AsoPatchError(error.message, { cause: error }) : error;
  }
}

/** Refuses names that change objects of JavaScript, and numbers that it cannot represent: both would be changed silently. */
function refuseUnsafe(value: unknown, path: string): void {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new AsoPatchError(`${path || "the patch"} has a number beyond 2^53, which would not be exact`);
  if (typeof value !== "object" || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    const place = `${path}/${name}`;
    if (UNSAFE_SEGMENTS.includes(name)) throw new AsoPatchError(`${place} is not a field of any resource`);
    if (STRATEGIC.test(name))
      throw new AsoPatchError(
        `${place} is a directive of strategic merge patches; in a JSON merge patch null removes a field, and a list is replaced as a whole`,
      );
    refuseUnsafe(field, place);
  }
}

function checkedOperation(operation: unknown, index: number): AsoPatchOperation {
  const problem = isJsonObject(operation) ? operationProblem(operation) : NO_OPERATION;
  if (problem !== undefined) throw new AsoPatchError(`operation ${index} ${problem}`);
  return operation as AsoPatchOperation;
}

const NEEDS: Readonly<Record<AsoPatchOperation["op"], readonly string[]>> = {
  add: ["path", "value"],
  remove: ["path"],
  replace: ["path", "value"],
  move: ["from", "path"],
  copy: ["from", "path"],
  test: ["path", "value"],
};
// Libraries that apply patches skip these names, and would then write to a path that was not checked.
const UNSAFE_SEGMENTS: readonly string[] = ["__proto__", "constructor", "prototype"];
// kubectl's own patches may have these; here they would become fields of the resource.
const STRATEGIC = /^\$(?:patch|retainKeys)$|^\$(?:setElementOrder|deleteFromPrimitiveList)\//;
const NO_OPERATION = `must be an object whose op is one of ${Object.keys(NEEDS).join(", ")}`;

function operationProblem(operation: Readonly<Record<string, unknown>>): string | undefined {
  const { op, path, from } = operation;
  if (typeof op !== "string" || !Object.hasOwn(NEEDS, op)) return NO_OPERATION;
  const needs = NEEDS[op as AsoPatchOperation["op"]];
  const bad = needs.find((name) => name !== "value" && !isSafePointer(operation[name]));
  if (bad !== undefined) {
    return `(${op}) must have a JSON pointer such as /spec/field as ${bad}, not ${JSON.stringify(operation[bad])}`;
  }
  if (needs.includes("value") && !Object.hasOwn(operation, "value")) return `(${op}) must have a value`;
  return op === "move" && String(path).startsWith(`${String(from)}/`)
    ? `(move) must not move ${JSON.stringify(from)} into itself, to ${JSON.stringify(path)}`
    : undefined;
}

function isSafePointer(pointer: unknown): boolean {
  const segments = parsePointer(pointer);
  return segments !== undefined && !segments.some((segment) => UNSAFE_SEGMENTS.includes(segment));
}
