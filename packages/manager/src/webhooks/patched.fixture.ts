import { assignOwn, deepCopy, type PatchOperation } from "@capstan/api";
import type { AdmissionReview } from "./admission-review.ts";

type Place = Record<string, unknown> | unknown[];

/** Applies a JSON patch by RFC 6902, as far as the webhooks use it. */
export function patched<T>(document: T, operations: readonly PatchOperation[]): T {
  const root: Record<string, unknown> = { "": deepCopy<T>(document) };
  for (const operation of operations) perform(root, operation);
  return root[""] as T;
}

function perform(root: Record<string, unknown>, operation: PatchOperation): void {
  const tokens = ["", ...operation.path.split("/").slice(1).map(unescaped)];
  const last = tokens.pop() ?? "";
  let place: Place = root;
  for (const token of tokens) {
    const next: unknown = Object.getOwnPropertyDescriptor(place, token)?.value;
    if (typeof next !== "object" || next === null) throw new Error(`nothing is at ${operation.path}`);
    place = next as Place;
  }
  if (operation.op !== "add" && !Object.hasOwn(place, last))
    throw new Error(`nothing is at ${operation.path}`);
  if (Array.isArray(place)) changeList(place, last, operation);
  else if (operation.op === "remove") delete place[last];
  else assignOwn(place, last, operation.value);
}

function changeList(list: unknown[], token: string, operation: PatchOperation): void {
  const index = token === "-" ? list.length : Number(token);
  if (operation.op === "remove") list.splice(index, 1);
  else list.splice(index, operation.op === "replace" ? 1 : 0, operation.value);
}

function unescaped(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The operations in a response. */
export function patchOf({ response }: AdmissionReview): readonly PatchOperation[] {
  if (response?.patch === undefined) return [];
  return JSON.parse(Buffer.from(response.patch, "base64").toString()) as readonly PatchOperation[];
}
