import type { FieldError, Kind } from "@capstan/api";
import { invalid, type Subject } from "../http/status.ts";
import type { User } from "../security/attributes.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";
import { thaw } from "./settled.ts";

/** A write under review. */
export interface AdmissionReview {
  readonly kind: Kind;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The object as it would be stored; absent for a deletion. */
  readonly object: Draft | undefined;
  /** The stored object; absent for a creation. */
  readonly old: StoredObject | undefined;
  readonly dryRun: boolean;
  readonly user: User;
}

/** The result of a validation. */
export interface AdmissionVerdict {
  /** Errors that refuse the write. */
  readonly errors?: readonly FieldError[];
  /** Warnings that are returned to the client. */
  readonly warnings?: readonly string[];
}

/** Reviews every write before it is stored: first all `mutate` in order, then all `validate`. */
export interface Admission {
  /** Changes `review.object` in place. */
  mutate?(review: AdmissionReview): void | Promise<void>;
  validate?(review: AdmissionReview): AdmissionVerdict | Promise<AdmissionVerdict>;
}

/** The same admission for objects that may share frozen parts with the storage: it gets a copy that it can change. */
export function thawing(admission: Admission): Admission {
  return {
    mutate: (review) => {
      if (review.object) thaw(review.object);
      return admission.mutate?.(review);
    },
    validate: (review) => admission.validate?.(review) ?? {},
  };
}

/** Lets every admission mutate the object. */
export async function mutate(admissions: readonly Admission[], review: AdmissionReview): Promise<void> {
  for (const admission of admissions) await admission.mutate?.(review);
}

/** Calls every admission; returns the warnings, or throws the errors. */
export async function validate(admissions: readonly Admission[], review: AdmissionReview): Promise<string[]> {
  const errors: FieldError[] = [];
  const warnings: string[] = [];
  for (const admission of admissions) {
    const verdict: AdmissionVerdict = (await admission.validate?.(review)) ?? {};
    errors.push(...(verdict.errors ?? []));
    warnings.push(...(verdict.warnings ?? []));
  }
  if (errors.length > 0) throw invalid(subjectOf(review), errors);
  return warnings;
}

/** The object that a refusal names. */
export function subjectOf({ kind, object, old }: AdmissionReview): Subject {
  return { kind: kind.kind, group: kind.group, name: (object ?? old)?.metadata.name ?? "" };
}
