import type { Draft, StoredObject } from "../../storage/storage.ts";

/** The status of objects that no controller has reconciled yet: counters that are always present start at zero. */
const INITIAL: Readonly<Record<string, object>> = {
  "apps/DaemonSet": {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  },
  "apps/Deployment": {},
  "apps/ReplicaSet": { replicas: 0 },
  "apps/StatefulSet": { replicas: 0, availableReplicas: 0 },
  "policy/PodDisruptionBudget": {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  },
  "storage.k8s.io/VolumeAttachment": { attached: false },
};

/** Sets the first status of a new object of a kind; undefined for kinds that start without one. */
export function initialStatus(
  name: string,
): ((draft: Draft, old: StoredObject | undefined) => void) | undefined {
  const status = INITIAL[name];
  return (
    status &&
    ((draft, old) => {
      if (!old) draft["status"] = { ...status };
    })
  );
}
