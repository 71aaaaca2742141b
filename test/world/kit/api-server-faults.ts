import type { FaultSpec } from "@capstan/sim";

/** All faults between a manager and its API servers, occasionally. */
export const STORM: readonly FaultSpec[] = Object.entries({
  "kube-conflict": 0.1,
  "kube-unavailable": 0.05,
  "kube-throttled": 0.05,
  "kube-timeout-applied": 0.05,
  "kube-reset": 0.05,
  "kube-not-found": 0.02,
  "watch-delay": 0.2,
  "crash-after-write": 0.03,
}).map(([fault, probability]) => ({ fault, when: { trigger: { probability } } }));
