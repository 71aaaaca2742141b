import { type ContractReference, type Frozen, groupOf, type Kind, type KubernetesObject } from "@capstan/api";
import { type CacheReader, index, type ObjectName } from "@capstan/runtime";
import { referenceKey } from "./reference.ts";

const BY_REFERENCE = "references";

/** The index of the objects of a kind by what they refer to, and the mapping of a referenced object to its referrers. */
export interface Referrers {
  readonly index: ReturnType<typeof index>;
  readonly of: (object: Frozen<KubernetesObject>, cache: CacheReader) => readonly ObjectName[];
}

/** Finds the objects of a kind that refer to an object, independent of its API version. */
export function referrers<T extends KubernetesObject>(
  kind: Kind<T>,
  referencesOf: (object: Frozen<T>) => readonly (Frozen<ContractReference> | undefined)[],
): Referrers {
  return {
    index: index(kind, BY_REFERENCE, (object) => {
      const { namespace = "" } = object.metadata;
      return referencesOf(object).flatMap((one) => (one ? [referenceKey(one, namespace)] : []));
    }),
    of: ({ apiVersion, kind: name, metadata }, cache) => {
      const value = referenceKey(
        { apiGroup: groupOf(apiVersion), kind: name, name: metadata.name },
        metadata.namespace ?? "",
      );
      return cache.list(kind, { index: BY_REFERENCE, value }).map((one) => one.metadata);
    },
  };
}
