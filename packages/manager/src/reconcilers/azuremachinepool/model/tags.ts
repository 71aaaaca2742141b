import { type AzureCluster, type AzureMachinePool, deepEqual, type Frozen, isJsonObject } from "@capstan/api";
import { ownerOf } from "../../../azure-cluster/spec-view.ts";
import { mergedTags, type Tags, type TagsView } from "@capstan/plan";
import { prototypeTags } from "./boot-image.ts";
import { currentName } from "./hash.ts";
import { scaleSetTags, type ObservedSet } from "./body.ts";
import type { NormalScope } from "../scope.ts";

// CAPZ's annotation, so that a pool can move between CAPZ and us without stale tags.
const TAGS_ANNOTATION = "sigs.k8s.io/cluster-api-provider-azure-last-applied-tags-vmss";

/** Adds the user's tags to the record of those that may be in Azure; returns whether the record has changed. */
export function recordDesiredTags({ pool, owners }: Pick<NormalScope, "pool" | "owners">): boolean {
  const before = recordedTags(pool);
  const both = { ...before, ...additionalTags({ pool, owners }) };
  if (deepEqual(before, both)) return false;
  annotate(pool, both);
  return true;
}

/** Forgets recorded tags that are neither in the spec nor in Azure any more. */
export function forgetTags({ pool, owners }: NormalScope): void {
  const desired = additionalTags({ pool, owners });
  if (!deepEqual(recordedTags(pool), desired)) annotate(pool, desired);
}

/** The desired tags of a scale set with a model: ours, the user's, and those that other clients have set. */
export function desiredTags(scope: NormalScope, observed: Tags, modelHash: string): Tags {
  const { plan, poolKey } = scope.azureTarget;
  const desired = scaleSetTags({
    ...ownerOf(plan),
    additionalTags: additionalTags(scope),
    poolKey,
    modelHash,
  });
  const ours = { ...desired, ...prototypeTags(scope, observed) };
  return mergedTags(observed, ours, recordedTags(scope.pool));
}

/** The tags of the scale set while its model stays; an older hash of the same model is renewed. */
export function tagsView(scope: NormalScope, set: ObservedSet): TagsView {
  const desired = desiredTags(scope, set.tags, currentName(set.modelHash, scope.desired.hash));
  return { observed: set.tags, desired };
}

/**
 * The user's tags by the record of those that were written last, for dumps: what else is in Azure is not known. Undefined if
 * the AzureCluster is not given, which has tags for all its pools.
 */
export function tagsFromRecord(
  pool: Frozen<AzureMachinePool>,
  azureCluster: Frozen<AzureCluster> | undefined,
): TagsView | undefined {
  if (!azureCluster) return undefined;
  return { observed: recordedTags(pool), desired: additionalTags({ pool, owners: { azureCluster } }) };
}

interface TaggedPool {
  readonly pool: Frozen<AzureMachinePool>;
  readonly owners: { readonly azureCluster: Frozen<AzureCluster> };
}

function additionalTags({ pool, owners }: TaggedPool): Tags {
  return { ...owners.azureCluster.spec.additionalTags, ...pool.spec.additionalTags };
}

function recordedTags({ metadata }: Frozen<AzureMachinePool>): Tags {
  try {
    const value: unknown = JSON.parse(metadata.annotations?.[TAGS_ANNOTATION] ?? "{}");
    const entries = isJsonObject(value) ? Object.entries(value) : [];
    return Object.fromEntries(
      entries.flatMap(([name, text]): [string, string][] => (typeof text === "string" ? [[name, text]] : [])),
    );
  } catch {
    // A user has edited the annotation; without a record no tag is removed.
    return {};
  }
}

function annotate({ metadata }: NormalScope["pool"], tags: Tags): void {
  const { [TAGS_ANNOTATION]: _, ...others } = metadata.annotations ?? {};
  const names = Object.keys(tags).sort();
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, tags[name]])));
  const annotations = names.length > 0 ? { ...others, [TAGS_ANNOTATION]: text } : others;
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
  else delete metadata.annotations;
}
