import type { Frozen, KubeadmControlPlane, Machine, StandardConditionUpdate } from "@capstan/api";
import { counted } from "../rollout/shared/action.ts";
import type { CombinedReasons } from "./combine.ts";
import { fromOlderConditions } from "./older.ts";
import { machinesReady, machinesUpToDate, remediating } from "./machines.ts";
import { deletingCondition, rollingOut, scalingDown, scalingUp } from "./owner.ts";

/** The facts about a KubeadmControlPlane that its own object does not have. */
export interface ControlPlaneFacts {
  readonly machines: readonly Frozen<Machine>[];
  readonly isMarked: (machine: Frozen<Machine>) => boolean;
  /** How many machines are outdated or being updated; undefined while that is not known. */
  readonly outdated: number | undefined;
  /** Why the next change does not happen. */
  readonly blocked: readonly string[];
  readonly trouble: string | undefined;
}

/** The conditions of a KubeadmControlPlane in v1beta2. */
export function controlPlaneConditions(
  controlPlane: Frozen<KubeadmControlPlane>,
  facts: ControlPlaneFacts,
): readonly StandardConditionUpdate[] {
  const { machines, isMarked, blocked, trouble, outdated } = facts;
  const isDeleting = controlPlane.metadata.deletionTimestamp !== undefined;
  const replicas = machines.length;
  const size = { desired: isDeleting ? 0 : (controlPlane.spec.replicas ?? 1), replicas, blocked };
  return [
    available(controlPlane, isDeleting),
    ...fromOlderConditions(controlPlane, SHARED),
    initialized(controlPlane),
    machinesReady(machines, trouble),
    machinesUpToDate(machines),
    ...(outdated === undefined
      ? []
      : [rollingOut({ outdated: isDeleting ? 0 : outdated, replicas }, blocked)]),
    scalingUp(size),
    scalingDown(size),
    remediating(machines, isMarked),
    deletingCondition(controlPlane, {
      reason: replicas > 0 ? "WaitingForMachineDeletion" : "DeletionCompleted",
      message: `Deleting ${counted(replicas, "machine")}`,
    }),
  ];
}

const AVAILABLE: CombinedReasons = { True: "Available", False: "NotAvailable", Unknown: "AvailableUnknown" };
const HEALTHY: CombinedReasons = { True: "Healthy", False: "NotHealthy", Unknown: "HealthUnknown" };
const SHARED = [
  { type: "CertificatesAvailable", reasons: AVAILABLE },
  { type: "EtcdClusterHealthy", reasons: HEALTHY },
  { type: "ControlPlaneComponentsHealthy", reasons: HEALTHY },
];

/** A control plane that is being deleted is not available. */
function available(controlPlane: Frozen<KubeadmControlPlane>, isDeleting: boolean): StandardConditionUpdate {
  const type = "Available";
  if (isDeleting) return { type, status: "False", reason: AVAILABLE.False, message: "Deletion in progress" };
  const [said] = fromOlderConditions(controlPlane, [{ type, reasons: AVAILABLE }]);
  return said ?? { type, status: "Unknown", reason: AVAILABLE.Unknown, message: "Not observed yet" };
}

function initialized({ status }: Frozen<KubeadmControlPlane>): StandardConditionUpdate {
  const type = "Initialized";
  return status?.initialization?.controlPlaneInitialized === true
    ? { type, status: "True", reason: "Initialized", message: "" }
    : { type, status: "False", reason: "NotInitialized", message: "" };
}
