import { isJsonObject } from "./json-object.ts";
import { applyPatch, type Operation, Pointer } from "rfc6902";

/** A JSON patch that does not fit the document. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
}

// kube-apiserver's own limit: a small body could otherwise create very many copies of a large value.
const OPERATIONS_LIMIT = 10_000;

// Also kube-apiserver's limit: a few copies of copies of copies would exhaust memory.
const COPIES_LIMIT = 3 * 1024 * 1024;

// rfc6902 follows these names instead of refusing them, and would then write elsewhere.
const UNSAFE_TOKENS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Which rules a patch follows where kube-apiserver is more lenient than the RFC. */
export interface JsonPatchOptions {
  readonly rules?: "kubernetes" | "rfc";
}

/**
 * Applies a JSON patch (RFC 6902) to the document, in place.
 *
 * By the rules of Kubernetes, the default, two cases are more lenient than in the RFC: `replace` sets a missing field, and
 * `test` treats a missing field as null.
 */
export function jsonPatch(
  document: object,
  operations: readonly unknown[],
  { rules = "kubernetes" }: JsonPatchOptions = {},
): void {
  if (operations.length > OPERATIONS_LIMIT) {
    throw new JsonPatchError(
      `a JSON patch may have ${OPERATIONS_LIMIT} operations, this one has ${operations.length}`,
    );
  }
  let copied = 0;
  for (const [index, operation] of operations.entries()) {
    if (!isJsonObject(operation)) throw new JsonPatchError(`operation ${index}: expected an object`);
    const problem = inheritedProblem(document, operation);
    if (problem !== undefined) throw new JsonPatchError(`operation ${index}: ${problem}`);
    copied += copiedLength(document, operation);
    if (copied > COPIES_LIMIT)
      throw new JsonPatchError(
        `operation ${index}: the copies in this patch are larger than ${COPIES_LIMIT} bytes`,
      );
    const refused = applyOne(document, operation, rules === "kubernetes" ? applyToMissing : apply);
    if (refused !== undefined) throw new JsonPatchError(`operation ${index}: ${refused}`);
  }
}

/** rfc6902 also finds what objects inherit, such as `toString`; that is not part of a document. */
function inheritedProblem(document: object, { op, path, ...rest }: Partial<Operation>): string | undefined {
  // An operation that inserts a field needs its parent only.
  const target = op === "add" || op === "copy" || op === "move" ? path?.replace(/\/[^/]*$/, "") : path;
  const pointers = [target, "from" in rest ? rest.from : undefined];
  const inherited = pointers.find(
    (pointer) => pointerProblem(pointer) === undefined && isInherited(document, pointer ?? ""),
  );
  return inherited === undefined ? undefined : `${inherited} does not exist`;
}

function isInherited(document: object, pointer: string): boolean {
  let value: unknown = document;
  for (const token of Pointer.fromJSON(pointer).tokens.slice(1)) {
    if (typeof value !== "object" || value === null) return false;
    if (!Object.hasOwn(value, token)) return token in value;
    value = (value as Record<string, unknown>)[token];
  }
  return false;
}

function copiedLength(document: object, operation: Partial<Operation>): number {
  if (operation.op !== "copy" || pointerProblem(operation.from) !== undefined) return 0;
  const { value } = Pointer.fromJSON(operation.from ?? "").evaluate(document) as Place;
  return value === undefined ? 0 : JSON.stringify(value, withoutBigints).length;
}

/** Numbers of 64 bits are bigints here, which JSON.stringify refuses. */
function withoutBigints(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** Applies an operation; returns why it is refused. */
type Apply = (document: object, operation: Partial<Operation>) => string | undefined;

function applyOne(document: object, operation: Partial<Operation>, toMissing: Apply): string | undefined {
  const { path = "" } = operation;
  const pointers = "from" in operation ? [path, operation.from] : [path];
  const problem = pointers.map(pointerProblem).find((found) => found !== undefined);
  if (problem !== undefined) return problem;
  const place = Pointer.fromJSON(path).evaluate(document) as Place;
  if (Array.isArray(place.parent) && !isPlaceIn(place.parent, place.key, operation.op))
    return `${path} is not an index of a list of ${place.parent.length}`;
  if (typeof place.parent !== "object" || place.parent === null)
    return `the parent of ${path} does not exist`;
  return applyAt(document, operation, { ...place, toMissing });
}

function applyAt(
  document: object,
  operation: Partial<Operation>,
  { parent, key, value, toMissing }: Place & { readonly toMissing: Apply },
): string | undefined {
  if (!Array.isArray(parent)) return (value === undefined ? toMissing : apply)(document, operation);
  const known = { ...operation, path: withPlainIndex(operation.path ?? "") } as Partial<Operation>;
  return (parent[Number(key)] === undefined ? toMissing : apply)(document, known);
}

function applyToMissing(document: object, operation: Partial<Operation>): string | undefined {
  if (operation.op === "test" && operation.value === null) return undefined;
  return apply(document, operation.op === "replace" ? { ...operation, op: "add" } : operation);
}

function apply(document: object, operation: object): string | undefined {
  return applyPatch(document, [operation as Operation])[0]?.message;
}

function pointerProblem(pointer: unknown): string | undefined {
  if (typeof pointer !== "string" || !pointer.startsWith("/"))
    return `${JSON.stringify(pointer)} is not a JSON pointer to a field; it must begin with a slash`;
  const unsafe = Pointer.fromJSON(pointer).tokens.find((token) => UNSAFE_TOKENS.has(token));
  return unsafe === undefined ? undefined : `the name ${unsafe} cannot be patched`;
}

/** kube-apiserver ignores leading zeros of an index; to rfc6902 they are part of another name. */
function withPlainIndex(path: string): string {
  return path.replace(/\/0+(?=\d+$)/, "/");
}

interface Place {
  readonly parent: unknown;
  readonly key: string;
  readonly value: unknown;
}

/** rfc6902 accepts any text as an index; this requires digits, or `-` to append. */
function isPlaceIn(list: readonly unknown[], key: string, op: string | undefined): boolean {
  const inserts = op === "add" || op === "copy" || op === "move";
  if (key === "-") return inserts;
  if (!/^\d+$/.test(key)) return false;
  return Number(key) < list.length + (inserts ? 1 : 0);
}
