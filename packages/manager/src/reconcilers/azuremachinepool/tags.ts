import { deepEqual, isJsonObject } from "@capstan/api";
import { block, next, type Outcome } from "@capstan/runtime";
import { ownerOf } from "../../azure-cluster/spec-view.ts";
import { mergedTags, type Tags } from "../../azure-cluster/tags.ts";
import { currentName } from "./model-hash.ts";
import { scaleSetTags } from "./scale-set-body.ts";
import { type NormalScope, type Observation } from "./scope.ts";

// CAPZ's own, so that a pool can go from one to the other without leaving anything behind.
const TAGS_ANNOTATION = "sigs.k8s.io/cluster-api-provider-azure-last-applied-tags-vmss";

/** Remembers what is about to be written on the user's behalf before it is written. */
export function recordTags({ pool, owners, refusal }: NormalScope): Outcome {
  if (refusal) return next;
  const before = recordedTags(pool);
  const both = { ...before, ...additionalTags({ pool, owners }) };
  if (deepEqual(before, both)) return next;
  annotate(pool, both);
  return block(0, "RememberingTags");
}

/** Nothing of what has left the spec is in Azure any more, and so it need not be remembered. */
export function forgetTags({ pool, owners }: NormalScope): void {
  const wanted = additionalTags({ pool, owners });
  if (!deepEqual(recordedTags(pool), wanted)) annotate(pool, wanted);
}

/** The tags that a scale set is to have with a model: ours, the user's, and those of others that are there. */
export function wantedTags(scope: NormalScope, observed: Tags, modelHash: string): Tags {
  const { plan, poolKey } = scope.azureTarget;
  const wanted = scaleSetTags({
    ...ownerOf(plan),
    additionalTags: additionalTags(scope),
    poolKey,
    modelHash,
  });
  return mergedTags(observed, wanted, recordedTags(scope.pool));
}

/** The tags to write where nothing else is; undefined when all are there. An older name of the same model is renewed. */
export function tagsToWrite(scope: NormalScope, { set }: Pick<Observation, "set">): Tags | undefined {
  if (!set) return undefined;
  const wanted = wantedTags(scope, set.tags, currentName(set.modelHash, scope.desired.hash));
  return deepEqual(wanted, set.tags) ? undefined : wanted;
}

function additionalTags({ pool, owners }: Pick<NormalScope, "pool" | "owners">): Tags {
  return { ...owners.azureCluster.spec.additionalTags, ...pool.spec.additionalTags };
}

function recordedTags({ metadata }: NormalScope["pool"]): Tags {
  try {
    const value: unknown = JSON.parse(metadata.annotations?.[TAGS_ANNOTATION] ?? "{}");
    const entries = isJsonObject(value) ? Object.entries(value) : [];
    return Object.fromEntries(
      entries.flatMap(([name, text]): [string, string][] => (typeof text === "string" ? [[name, text]] : [])),
    );
  } catch {
    // Somebody edited it; without a memory nothing is taken away.
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
