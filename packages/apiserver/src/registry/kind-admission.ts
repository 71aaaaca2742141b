import {
  type CustomKind,
  DEFAULT_FEATURES,
  type Features,
  invalid as invalidField,
  type Kind,
  type Lookup,
  validateObject,
} from "@capstan/api";
import { invalid } from "../http/status.ts";
import { SERVER } from "../security/attributes.ts";
import type { Storage, StoredObject } from "../storage/storage.ts";
import { type Admission, type AdmissionReview, subjectOf } from "./admission.ts";
import { tableOf } from "./registry.ts";
import { thaw } from "./settled.ts";

/**
 * Sets the defaults of objects of our kinds and validates them, which a webhook does in a real cluster. As there,
 * writes to subresources are not reviewed, and the origin of the kind's definition does not matter.
 */
export function kindAdmission(
  storage: Storage,
  kinds: readonly CustomKind[],
  features: Features = DEFAULT_FEATURES,
): Admission {
  const lookup: Lookup = {
    get: (kind, name, namespace = "") =>
      // The storage has only objects of this kind under this name, so the type follows from the kind.
      storage.get({ resource: tableOf(kind), namespace: kind.namespaced ? namespace : "", name }) as never,
  };
  const byName = new Map(kinds.map((kind) => [nameOf(kind), kind]));
  const admitted = ({ kind, operation, subresource }: AdmissionReview): CustomKind | undefined =>
    operation !== "DELETE" && subresource === "" ? byName.get(nameOf(kind)) : undefined;
  /** Errors of defaulting on objects that do not even have the expected structure. */
  const odd = new WeakMap<AdmissionReview, TypeError>();
  return {
    mutate: (review) => {
      const kind = admitted(review);
      if (!kind || !review.object) return;
      thaw(review.object);
      try {
        kind.applyDefaults(review.object, review.old);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        // Schema validation follows and has better messages; this error counts only if it finds nothing.
        odd.set(review, error);
      }
    },
    validate: (review) => {
      const kind = admitted(review);
      if (!kind || !review.object) return {};
      const object = review.object as unknown as StoredObject;
      return fitting(review, () => {
        const error = odd.get(review);
        if (error) throw error;
        return validateObject(kind, {
          object,
          lookup,
          features,
          ...(review.old && { old: review.old }),
          // The controllers of this process are trusted callers, as the server itself is.
          isByManager: review.user.name === SERVER.name,
          isDryRun: review.dryRun,
        });
      });
    },
  };
}

function nameOf({ apiVersion, kind }: Kind): string {
  return `${apiVersion} ${kind}`;
}

/** The rules rely on the schema; where it is too lenient, they may throw a TypeError, which becomes a refusal. */
function fitting<T>(review: AdmissionReview, rules: () => T): T {
  try {
    return rules();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const problem = `does not fit the schema of ${review.kind.kind}: ${error.message}`;
    throw invalid(subjectOf(review), [invalidField("spec", review.object?.["spec"], problem)]);
  }
}
