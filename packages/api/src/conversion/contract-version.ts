import { newerFirst } from "../values/version-order.ts";

// Cluster API's labels of CRDs: which versions of the kind follow which version of its contract.
const CONTRACT_LABELS = ["cluster.x-k8s.io/v1beta2", "cluster.x-k8s.io/v1beta1"];

type Labels = Readonly<Record<string, string>> | undefined;

/** The newest version that the label of the newest contract of a CRD names; undefined without one. */
export function contractVersionIn(labels: Labels): string | undefined {
  return firstNamed(labels, CONTRACT_LABELS);
}

/**
 * The version that references in v1beta1 objects name. Their clients follow contract v1beta1, and wrote that version in their
 * manifests: with another one, each apply of the same manifest would be a change.
 */
export function olderContractVersionIn(labels: Labels): string | undefined {
  return firstNamed(labels, CONTRACT_LABELS.toReversed());
}

function firstNamed(labels: Labels, contracts: readonly string[]): string | undefined {
  const label = contracts.find((one) => labels?.[one]);
  const [newest] = (label === undefined ? "" : (labels?.[label] ?? "")).split("_").sort(newerFirst);
  return newest || undefined;
}
