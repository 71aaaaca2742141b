import type { Target } from "./target.ts";

/**
 * The api-version of each type: old enough for every cloud and region, new enough for the fields that are sent. Another
 * type gets the version of the longest prefix.
 */
const VERSIONS: Readonly<Record<string, string>> = {
  "": "2021-04-01", // subscriptions and resource groups
  "microsoft.authorization": "2022-04-01",
  "microsoft.compute": "2024-07-01", // the first with etags on scale sets is 2024-03-01
  "microsoft.compute/disks": "2024-03-02",
  "microsoft.compute/galleries": "2024-03-03",
  "microsoft.compute/skus": "2021-07-01", // has had no other since
  "microsoft.compute/snapshots": "2024-03-02",
  "microsoft.compute/virtualmachinescalesets/virtualmachines/networkinterfaces": "2024-05-01", // Network serves these
  "microsoft.containerservice": "2024-09-01", // the first with etags on clusters and agent pools
  "microsoft.managedidentity": "2023-01-31",
  "microsoft.network": "2024-05-01",
  "microsoft.resources": "2021-04-01",
};

/** The api-version of a type; undefined for an unknown provider. */
export function apiVersionOf({ provider, type }: Pick<Target, "provider" | "type">): string | undefined {
  if (provider === "") return VERSIONS[""];
  const names = [provider, ...type.split("/")];
  for (let length = names.length; length > 0; length--) {
    const version = VERSIONS[names.slice(0, length).join("/")];
    if (version !== undefined) return version;
  }
  return undefined;
}
