import { type ConversionContext, olderContractVersionIn } from "@capstan/api";
import { isCustom, type Registry } from "../registry/registry.ts";
import type { Storage } from "../storage/storage.ts";
import { definitionKey } from "./definition.ts";

/**
 * Looks up the version of kinds that references of v1beta1 name, and those of v1beta2 leave out: the one that the contract
 * label of the CRD names, else the stored one.
 */
export function contractVersions(storage: Storage, registry: () => Registry): ConversionContext["versionOf"] {
  return (group, name) => {
    const kind = registry().ofGroupKind(group, name)?.kind;
    if (!kind) return undefined;
    // A kind that the server has from its start has no CRD object.
    const labels =
      storage.get(definitionKey(kind))?.metadata.labels ?? (isCustom(kind) ? kind.crdLabels : {});
    return olderContractVersionIn(labels) ?? kind.version;
  };
}
