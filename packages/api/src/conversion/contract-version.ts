import { newerFirst } from "../values/version-order.ts";

// Cluster API's labels of CRDs: which versions of the kind follow which version of its contract. The newer one counts.
const CONTRACT_LABELS = ["cluster.x-k8s.io/v1beta2", "cluster.x-k8s.io/v1beta1"];

/** The newest version that the contract label of a CRD names; undefined without one. */
export function contractVersionIn(labels: Readonly<Record<string, string>> | undefined): string | undefined {
  const label = CONTRACT_LABELS.find((one) => labels?.[one]);
  const [newest] = (label === undefined ? "" : (labels?.[label] ?? "")).split("_").sort(newerFirst);
  return newest || undefined;
}
