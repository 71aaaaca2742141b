import type { Clock, Env } from "@capstan/env";
import { ApiError, invalid } from "../http/status.ts";
import type { FieldProblem } from "../schema/problem.ts";
import type { User } from "../security/attributes.ts";
import type { PolicySource } from "../security/rbac.ts";
import type { Tokens } from "../security/service-account-tokens.ts";
import type { Draft, Storage, StoredObject } from "../storage/storage.ts";
import type { Admission } from "./admission.ts";
import type { Registry, Resource } from "./registry.ts";

/** What every verb works with. */
export interface Context {
  readonly env: Env;
  /** The clock of whoever asks: by it watches last. */
  readonly callerClock: Clock;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly admissions: readonly Admission[];
  /** Who may do what. */
  readonly policy: PolicySource;
  /** Makes and checks the tokens of service accounts. */
  readonly tokens: Tokens;
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
  /** Who writes. */
  readonly user: User;
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

/** Refuses a write when there are problems. */
export function refuse({ kind }: Resource, draft: Draft, problems: readonly FieldProblem[]): void {
  if (problems.length === 0) return;
  throw invalid({ kind: kind.kind, group: kind.group, name: draft.metadata.name }, problems);
}

/** Adds warnings to the outcome of a write, be it done or refused. */
export async function warned(warnings: readonly string[], write: () => Promise<Written>): Promise<Written> {
  try {
    const written = await write();
    return { ...written, warnings: [...warnings, ...written.warnings] };
  } catch (error) {
    if (error instanceof ApiError) error.warnings = [...warnings, ...error.warnings];
    throw error;
  }
}
