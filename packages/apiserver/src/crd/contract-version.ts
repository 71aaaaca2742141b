import type { ConversionContext } from "@capstan/api";
import { newerFirst } from "../discovery/discovery.ts";
import { isCustom, type Registry } from "../registry/registry.ts";
import type { Storage } from "../storage/storage.ts";
import { definitionKey } from "./definition.ts";

// Cluster API's labels of CRDs: which versions of the kind follow which version of its contract. The newer one counts.
const CONTRACT_LABELS = ["cluster.x-k8s.io/v1beta2", "cluster.x-k8s.io/v1beta1"];

/**
 * Looks up the version of kinds that references name by group and kind alone: the newest one that the contract label of
 * the CRD names, else the stored one.
 */
export function contractVersions(storage: Storage, registry: () => Registry): ConversionContext["versionOf"] {
  return (group, name) => {
    const kind = registry().ofGroupKind(group, name)?.kind;
    if (!kind) return undefined;
    // A kind that the server has from its start has no CRD object.
    const labels =
      storage.get(definitionKey(kind))?.metadata.labels ?? (isCustom(kind) ? kind.crdLabels : {});
    const label = CONTRACT_LABELS.find((one) => labels[one]);
    const [newest] = (label === undefined ? "" : (labels[label] ?? "")).split("_").sort(newerFirst);
    return newest || kind.version;
  };
}
