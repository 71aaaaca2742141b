/**
 * Where the embedded server answers otherwise than the recorded kube-apiserver, and why. A test fails when a listed step
 * no longer differs. Beside these, 500 for an object that does not fit its kind is 422 here, in the same words
 * (`replay.ts`).
 */
export interface KnownDifference {
  readonly reason: string;
  /** The steps that differ; all others must be equal. */
  readonly steps?: readonly number[];
  /** Compare only the managers: the server sets other fields that have nothing to do with apply. */
  readonly onlyManagers?: true;
  /** The embedded server does not serve the kind, or the recording lacks the bodies. */
  readonly isSkipped?: true;
}

const EMPTIED =
  "kube-apiserver leaves a null where a list or map loses its last item, and then refuses its own null; here the container goes";
const SCALED = "kube-apiserver cannot apply the Scale of a custom kind (500); here it works";
const NOT_SERVED = "the embedded server does not serve the kind";
const NO_ALLOCATION = "the embedded server allocates no cluster addresses";
const NO_TAINT = "the embedded server has no admission that taints new Nodes";

/** By the id of the sequence. */
export const KNOWN_DIFFERENCES: Readonly<Record<string, KnownDifference>> = {
  "shared-listmap-child-only": { reason: EMPTIED, steps: [2] },
  "shared-map-child-only": { reason: EMPTIED, steps: [2] },
  "crd-unknown-existing": { reason: "the refused object is printed in another order", steps: [2] },
  "sub-scale": { reason: SCALED, steps: [2, 3, 5, 8] },
  "sub-scale-unowned": { reason: "an object without replicas has no Scale; both say 500", steps: [1] },
  "meta-system": {
    reason: "an apply that changes nothing but fields of the server writes nothing here",
    steps: [1],
  },
  "version-removed": {
    reason:
      "after a version has gone, kube-apiserver refuses every apply with 500 and other writes drop all managers; here only the managers of that version go",
    steps: [3, 4, 5, 6],
  },
  "body-malformed": { reason: "the YAML parser has other words for the problem", steps: [0, 1, 8, 10] },
  "body-large": { reason: "the recording lacks the bodies", isSkipped: true },
  "core-service": { reason: NO_ALLOCATION, onlyManagers: true },
  "core-live-duplicates": {
    reason: "there is no warning about duplicate environment variables",
    steps: [0, 1],
  },
  "core-node": { reason: NO_TAINT, onlyManagers: true },
  "core-status": {
    reason: "labels sent to the status of a Deployment are stored here; times without a value are left out",
    steps: [1, 2],
  },
  "core-binding": { reason: "a binding counts as a change of the spec here", onlyManagers: true },
  "post-Service": { reason: NO_ALLOCATION, onlyManagers: true },
  "post-Node": { reason: NO_TAINT, steps: [0, 1] },
  "post-Event": {
    reason: "times without a value are left out here; in Go they are null",
    onlyManagers: true,
  },
  "post-StatefulSet": { reason: "an empty serviceName is left out here", onlyManagers: true },
  "post-DaemonSet": { reason: "there is no deprecated annotation of the generation", steps: [0, 1] },
  "post-Job": {
    reason: "the labels of a Job have its uid, which the recording left out",
    onlyManagers: true,
  },
  "post-ClusterRole": {
    reason: "missing rules are left out here; in Go they are null, and owned",
    steps: [0, 1],
  },
  "post-CustomResourceDefinition": {
    reason:
      "defaults of definitions are set after the managers, and the server tracks no managers of its own",
    steps: [0, 1],
  },
  "post-PersistentVolumeClaim": { reason: NOT_SERVED, isSkipped: true },
  "post-PersistentVolume": { reason: NOT_SERVED, isSkipped: true },
  "post-CronJob": { reason: NOT_SERVED, isSkipped: true },
  "post-StorageClass": { reason: NOT_SERVED, isSkipped: true },
  "post-PriorityClass": { reason: NOT_SERVED, isSkipped: true },
  "post-EndpointSlice": { reason: NOT_SERVED, isSkipped: true },
  "post-ValidatingWebhookConfiguration": { reason: NOT_SERVED, isSkipped: true },
};
