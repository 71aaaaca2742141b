import { newerFirst } from "../values/api-version-order.ts";

// Cluster API's labels of CRDs: which versions of the kind follow which version of its contract. The newer one counts.
const CONTRACT_LABELS = ["cluster.x-k8s.io/v1beta2", "cluster.x-k8s.io/v1beta1"];

/**
 * The version of a kind for references that name none: the newest one that the contract label of its CRD names; undefined
 * without such a label.
 */
export function contractVersion(labels: Readonly<Record<string, string>>): string | undefined {
  const [label] = CONTRACT_LABELS.flatMap((name) => labels[name] || []);
  const [newest] = (label ?? "").split("_").sort(newerFirst);
  return newest || undefined;
}
