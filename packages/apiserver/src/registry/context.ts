import type { Clock, Env } from "@capstan/env";
import type { PodBackends } from "../http/port-forward.ts";
import type { ServiceBackends } from "../http/service-proxy.ts";
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
  /** The clock of the clients: timeouts of watches follow it. */
  readonly callerClock: Clock;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly admissions: readonly Admission[];
  /** The RBAC rules. */
  readonly policy: PolicySource;
  /** Of which objects the server tracks who owns which field. */
  readonly fieldOwnership: FieldOwnership;
  /** Issues and verifies the tokens of service accounts. */
  readonly tokens: Tokens;
  /** The servers behind Services. */
  readonly services: ServiceBackends | undefined;
  /** The servers in pods. */
  readonly pods: PodBackends | undefined;
  readonly preferredVersions: PreferredVersions;
}

/**
 * The versions that clients use unless they name one, by group; others prefer their newest. kube-apiserver has no such
 * setting: it is for a group whose newer version is served before the controllers fill all of its fields.
 */
export type PreferredVersions = Readonly<Record<string, string>>;

/**
 * Of which objects a server tracks who owns which field: of all from their creation, as kube-apiserver does, or only of
 * those that a client has applied.
 */
export type FieldOwnership = "all" | "applied";

/** The target of a request. `namespace` is empty for cluster-scoped kinds and across namespaces. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** The options of a write. */
export interface WriteOptions {
  /** The user who writes. */
  readonly user: User;
  /** Do everything except the write. */
  readonly dryRun: boolean;
  /** How to treat unknown fields. */
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** The name under which the writer owns fields; absent for writes of the server itself. */
  readonly fieldManager?: string;
  /** Whether the write is an apply. */
  readonly isApply?: boolean;
}

/** The outcome of a write. */
export interface Written {
  readonly object: StoredObject;
  readonly created: boolean;
  readonly warnings: readonly string[];
}

/** Refuses a write if there are problems; the answer has the warnings, too. */
export function refuse(
  { kind }: Resource,
  draft: Draft,
  {
    problems,
    warnings = [],
  }: { readonly problems: readonly FieldProblem[]; readonly warnings?: readonly string[] },
): void {
  if (problems.length === 0) return;
  const refusal = invalid({ kind: kind.kind, group: kind.group, name: draft.metadata.name }, problems);
  refusal.warnings = [...warnings];
  throw refusal;
}

/** Adds warnings to the result of a write, successful or not. */
export async function warned(warnings: readonly string[], write: () => Promise<Written>): Promise<Written> {
  try {
    const written = await write();
    return { ...written, warnings: [...warnings, ...written.warnings] };
  } catch (error) {
    if (error instanceof ApiError) error.warnings = [...warnings, ...error.warnings];
    throw error;
  }
}
