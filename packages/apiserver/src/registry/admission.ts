import type { FieldError, Kind } from "@capstan/api";
import { invalid, type Subject } from "../http/status.ts";
import type { User } from "../security/attributes.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";
import { thaw } from "./settled.ts";

/** A write that asks to be admitted. */
export interface AdmissionReview {
  readonly kind: Kind;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The object as it would be stored; absent when it is deleted. */
  readonly object: Draft | undefined;
  /** The stored object; absent when it is created. */
  readonly old: StoredObject | undefined;
  readonly dryRun: boolean;
  readonly user: User;
}

/** What a validation found. */
export interface AdmissionVerdict {
  /** Refuse the write. */
  readonly errors?: readonly FieldError[];
  /** Let it pass and tell the caller. */
  readonly warnings?: readonly string[];
}

/** Looks at every write before it is stored: first all `mutate` in order, then all `validate`. */
export interface Admission {
  /** Changes `review.object` in place. */
  mutate?(review: AdmissionReview): void | Promise<void>;
  validate?(review: AdmissionReview): AdmissionVerdict | Promise<AdmissionVerdict>;
}

/** The same admission for objects that may have parts of the store in them: it gets one that it can change anywhere. */
export function thawing(admission: Admission): Admission {
  return {
    mutate: (review) => {
      if (review.object) thaw(review.object);
      return admission.mutate?.(review);
    },
    validate: (review) => admission.validate?.(review) ?? {},
  };
}

/** Lets every admission change the object. */
export async function mutate(admissions: readonly Admission[], review: AdmissionReview): Promise<void> {
  for (const admission of admissions) await admission.mutate?.(review);
}

/** Asks every admission; answers with the warnings, or throws with what is wrong. */
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

/** What a refusal of the write is about. */
export function subjectOf({ kind, object, old }: AdmissionReview): Subject {
  return { kind: kind.kind, group: kind.group, name: (object ?? old)?.metadata.name ?? "" };
}
