/** The door that objects of our kinds come in by: defaults first, then the rules. */
import type { AdmissionRequest, CustomKind } from "./kind.ts";
import type { Frozen, KubernetesObject } from "./kubernetes/meta.ts";
import { deepCopy } from "./values/deep-copy.ts";
import type { FieldError } from "./values/field-error.ts";

/** What the rules of a kind say about an object. */
export interface Verdict {
  /** Why it is refused; empty when it is not. */
  readonly errors: readonly FieldError[];
  /** What is allowed but probably not meant. */
  readonly warnings: readonly string[];
}

/** A copy of an object, which must fit its schema, with all defaults filled in. */
export function withDefaults<T extends KubernetesObject>(
  kind: CustomKind<T>,
  object: T | Frozen<T>,
  old?: Frozen<T>,
): T {
  const draft = deepCopy<T>(object);
  kind.applyDefaults(draft, old);
  return draft;
}

/** Says what is wrong with an object beyond its schema, and what is probably not meant. */
export function validateObject<T extends KubernetesObject>(
  kind: CustomKind<T>,
  request: AdmissionRequest<T>,
): Verdict {
  return { errors: kind.validate(request), warnings: kind.warn(request) };
}
