import { type CustomKind, invalid as invalidField, type Lookup, validateObject } from "@capstan/api";
import { invalid } from "../http/status.ts";
import type { Storage, StoredObject } from "../storage/storage.ts";
import { type Admission, type AdmissionReview, subjectOf } from "./admission.ts";
import { isCustom, tableOf } from "./registry.ts";

/**
 * Gives objects of our kinds their defaults and checks their rules, where a real cluster asks a
 * webhook. As there, writes to subresources pass by.
 */
export function kindAdmission(storage: Storage): Admission {
  const lookup: Lookup = {
    get: (kind, name, namespace = "") =>
      // The store has objects of this kind under this name only, so the type follows from the kind.
      storage.get({ resource: tableOf(kind), namespace: kind.namespaced ? namespace : "", name }) as never,
  };
  return {
    mutate: (review) => {
      const kind = admitted(review);
      if (kind && review.object)
        fitting(review, () => kind.applyDefaults(review.object as never, review.old));
    },
    validate: (review) => {
      const kind = admitted(review);
      if (!kind || !review.object) return {};
      const object = review.object as unknown as StoredObject;
      return fitting(review, () =>
        validateObject(kind, { object, lookup, ...(review.old && { old: review.old }) }),
      );
    },
  };
}

function admitted({ kind, operation, subresource }: AdmissionReview): CustomKind | undefined {
  return isCustom(kind) && operation !== "DELETE" && subresource === "" ? kind : undefined;
}

/** The rules take for granted that the object fits its schema; where it does not, they stumble over it. */
function fitting<T>(review: AdmissionReview, rules: () => T): T {
  try {
    return rules();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const problem = `does not fit the schema of ${review.kind.kind}: ${error.message}`;
    throw invalid(subjectOf(review), [invalidField("spec", review.object?.["spec"], problem)]);
  }
}
