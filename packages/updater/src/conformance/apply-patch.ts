/** Applies the patches of Cluster API's hooks to a copy, as its controllers do. Throws a PatchProblem. */
import { isObject, type JsonObject } from "../request-body.ts";

/** A patch that cannot be applied. */
export class PatchProblem extends Error {
  override readonly name = "PatchProblem";
}

/** The object after a patch of an answer; a missing or empty one changes nothing. */
export function patched(object: JsonObject, field: unknown): JsonObject {
  if (field === undefined || field === null) return object;
  if (!isObject(field)) throw new PatchProblem("is not an object with patchType and patch");
  const { patchType, patch } = field;
  if (patch === undefined || patch === null || patch === "") return object;
  const content = contentOf(patch);
  const result =
    patchType === "JSONMergePatch"
      ? merged(object, content)
      : patchType === "JSONPatch"
        ? afterOperations(object, content)
        : undefined;
  if (isObject(result)) return result;
  throw new PatchProblem(
    `patchType must be JSONPatch or JSONMergePatch, but is ${JSON.stringify(patchType)}`,
  );
}

function contentOf(patch: unknown): unknown {
  if (typeof patch !== "string") throw new PatchProblem("patch must be a text in base64");
  try {
    return JSON.parse(Buffer.from(patch, "base64").toString("utf8")) as unknown;
  } catch {
    throw new PatchProblem("patch must be JSON in base64");
  }
}

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, merged(result.get(name), value));
  }
  return Object.fromEntries(result);
}

/** RFC 6902. */
function afterOperations(object: JsonObject, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw new PatchProblem("a JSONPatch must be a list of operations");
  return operations.reduce<unknown>(
    (document, operation, index) => applied(document, operation, `operation ${index}`),
    structuredClone(object),
  );
}

function applied(document: unknown, operation: unknown, where: string): unknown {
  if (!isObject(operation)) throw new PatchProblem(`${where} is not an object`);
  const { op, value } = operation;
  const path = pointerOf(operation["path"], where);
  switch (op) {
    case "add":
      return changed(document, path, { where, put: structuredClone(value), isNew: true });
    case "replace":
      return changed(document, path, { where, put: structuredClone(value) });
    case "remove":
      return changed(document, path, { where });
    case "test":
      if (JSON.stringify(valueAt(document, path, where)) === JSON.stringify(value)) return document;
      throw new PatchProblem(`${where}: the test of ${pathText(path)} fails`);
    case "move":
    case "copy": {
      const from = pointerOf(operation["from"], where);
      const moved = structuredClone(valueAt(document, from, where));
      const rest = op === "move" ? changed(document, from, { where }) : document;
      return changed(rest, path, { where, put: moved, isNew: true });
    }
    default:
      throw new PatchProblem(`${where}: op must be one of RFC 6902, but is ${JSON.stringify(op)}`);
  }
}

function pointerOf(pointer: unknown, where: string): readonly string[] {
  if (pointer === "") return [];
  if (typeof pointer !== "string" || !pointer.startsWith("/"))
    throw new PatchProblem(`${where}: a path must start with /, but is ${JSON.stringify(pointer)}`);
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function pathText(path: readonly string[]): string {
  return `/${path.join("/")}`;
}

function valueAt(document: unknown, path: readonly string[], where: string): unknown {
  return path.reduce<unknown>((parent, name) => {
    const value = Array.isArray(parent)
      ? (parent as readonly unknown[])[Number(name)]
      : isObject(parent)
        ? parent[name]
        : undefined;
    if (value !== undefined) return value;
    throw new PatchProblem(`${where}: ${pathText(path)} does not exist`);
  }, document);
}

interface Change {
  readonly where: string;
  /** Absent for a removal. */
  readonly put?: unknown;
  readonly isNew?: boolean;
}

/** The document with another value at a path. */
function changed(document: unknown, path: readonly string[], change: Change): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change.put;
  if (rest.length > 0) {
    const inner = changed(valueAt(document, [name], change.where), rest, change);
    return withValue(document, name, inner);
  }
  if (!("put" in change) || change.isNew !== true) valueAt(document, [name], change.where);
  if ("put" in change)
    return Array.isArray(document) && change.isNew === true
      ? withItem(document, name, change)
      : withValue(document, name, change.put);
  return without(document, name);
}

function withItem(list: readonly unknown[], name: string, { put, where }: Change): unknown {
  const at = name === "-" ? list.length : Number(name);
  if (!(Number.isInteger(at) && at >= 0 && at <= list.length))
    throw new PatchProblem(`${where}: index ${name} is outside of the list`);
  return list.toSpliced(at, 0, put);
}

function withValue(document: unknown, name: string, value: unknown): unknown {
  if (Array.isArray(document)) return (document as readonly unknown[]).with(Number(name), value);
  return { ...(isObject(document) ? document : {}), [name]: value };
}

function without(document: unknown, name: string): unknown {
  if (Array.isArray(document)) return (document as readonly unknown[]).toSpliced(Number(name), 1);
  const { [name]: _, ...rest } = isObject(document) ? document : {};
  return rest;
}
