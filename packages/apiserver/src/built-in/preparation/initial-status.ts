import type { Draft, StoredObject } from "../../storage/storage.ts";

/** The status of objects that nobody has looked at yet: numbers that are always there begin at zero. */
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

/** What gives a new object of a kind its first status; undefined for kinds that begin without one. */
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
