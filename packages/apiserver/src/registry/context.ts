import type { Env } from "@capstan/env";
import { badRequest } from "../http/status.ts";
import type { Storage, StoredObject } from "../storage/storage.ts";
import type { Admission } from "./admission.ts";
import type { Registry, Resource } from "./registry.ts";

/** What every verb works with. */
export interface Context {
  readonly env: Env;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly admissions: readonly Admission[];
}

/** What a request is about. `namespace` is empty for cluster-scoped kinds and across namespaces. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** How a write is meant. */
export interface WriteOptions {
  /** Do everything but the write. */
  readonly dryRun: boolean;
  /** What to do with fields that Kubernetes does not know. */
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
}

/** The outcome of a write. */
export interface Written {
  readonly object: StoredObject;
  readonly created: boolean;
  readonly warnings: readonly string[];
}

/** Warns about unknown fields, or refuses them, as the request wants it. */
export function unknownFieldWarnings(
  resource: Resource,
  fields: readonly string[],
  mode: WriteOptions["fieldValidation"],
): string[] {
  const texts = fields.map((field) => `unknown field "${field}"`);
  if (mode === "Ignore" || texts.length === 0) return [];
  if (mode === "Warn") return texts;
  const { kind, version } = resource.kind;
  throw badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${texts.join(", ")}`,
  );
}
