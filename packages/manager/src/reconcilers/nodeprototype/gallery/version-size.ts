import { isJsonObject, type JsonObject } from "@capstan/api";
import type { HistoryEntry } from "@capstan/plan";
import { objectIn } from "./azure-reads.ts";

/** How large a version is, and how many copies of it Azure keeps: what it costs follows from both. */
export function sizeOf(version: JsonObject | undefined): Pick<HistoryEntry, "sizeGB" | "replicas"> {
  const { sizeInGB } = objectIn(version, "properties", "storageProfile", "osDiskImage");
  const { targetRegions, replicaCount = 1 } = objectIn(version, "properties", "publishingProfile");
  const regions = Array.isArray(targetRegions) ? targetRegions.filter(isJsonObject) : [];
  const replicas = regions.reduce((sum, one) => sum + Number(one["regionalReplicaCount"] ?? replicaCount), 0);
  return {
    ...(typeof sizeInGB === "number" && { sizeGB: sizeInGB }),
    ...(Number.isSafeInteger(replicas) && replicas > 0 && { replicas }),
  };
}
