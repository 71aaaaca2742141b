/** Admission of objects of our kinds: first defaults, then validation. */
import type { AdmissionRequest, CustomKind } from "./kind.ts";
import type { Frozen, KubernetesObject } from "./kubernetes/meta.ts";
import { deepCopy } from "./values/deep-copy.ts";
import type { FieldError } from "./values/field-error.ts";
import { noControllerWarnings } from "./without-controller.ts";

/** The result of validating an object. */
export interface Verdict {
  /** Why it is refused; empty if it is not. */
  readonly errors: readonly FieldError[];
  /** What is valid but probably a mistake. */
  readonly warnings: readonly string[];
}

/** A copy of an object, which must fit its schema, with all defaults. */
export function withDefaults<T extends KubernetesObject>(
  kind: CustomKind<T>,
  object: T | Frozen<T>,
  old?: Frozen<T>,
): T {
  const draft = deepCopy<T>(object);
  kind.applyDefaults(draft, old);
  return draft;
}

/** Validates an object beyond its schema, and warns about probable mistakes. */
export function validateObject<T extends KubernetesObject>(
  kind: CustomKind<T>,
  request: AdmissionRequest<T>,
): Verdict {
  const warnings = kind.warn(request);
  const isNew = request.old === undefined;
  return {
    errors: kind.validate(request),
    warnings: isNew ? [...noControllerWarnings(kind), ...warnings] : warnings,
  };
}
