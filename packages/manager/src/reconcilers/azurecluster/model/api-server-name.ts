import { clusterGroupOf, type ClusterSpecView, locationOf } from "../../../azure-cluster/spec-view.ts";

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * The DNS name of a public address. If the spec has none, it is derived as in Cluster API's Azure provider: by FNV-1a over
 * the location of the address, so that a cluster that CAPZ built keeps its endpoint.
 */
export function fullyQualifiedName(
  plan: ClusterSpecView,
  address: { readonly name: string; readonly dnsName?: string | undefined },
): string {
  if (address.dnsName) return address.dnsName.toLowerCase();
  const place = `${plan.subscriptionID}/${clusterGroupOf(plan)}/${address.name}`;
  return `${plan.clusterName}-${fnv1a(place).toString(16)}.${locationOf(plan)}.cloudapp.azure.com`.toLowerCase();
}

function fnv1a(text: string): number {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  return hash;
}
