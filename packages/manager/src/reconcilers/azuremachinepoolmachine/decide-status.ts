import {
  type AzureMachinePoolMachine,
  type Frozen,
  getCondition,
  isTrue,
  Node,
  type NodeCondition,
} from "@capstan/api";
import type { ScaleSetInstance } from "@capstan/azure";
import type { ConditionUpdate } from "../../contract/ready.ts";
import { cordonedSince, isNodeReady, NODE_SCHEDULABLE } from "../../workload/availability.ts";
import { isCordonedByUs } from "../../workload/drain/cordon.ts";
import { MODEL_HASH_ANNOTATION } from "../../pools/well-known.ts";
import { BOOTSTRAP_SUCCEEDED, NODE_HEALTHY, VM_RUNNING } from "../../pools/machine-conditions.ts";
import type { NodeLookup } from "../../workload/find-node.ts";
import { joinLeftMs, NODE_NOT_JOINED, overdueMessage } from "../../workload/overdue-join.ts";

const UNEXPLAINED = "Azure does not say why";

type Status = NonNullable<AzureMachinePoolMachine["status"]>;

/** The observations of a pass over a machine. */
export interface MachineStatusView {
  readonly machine: Frozen<AzureMachinePoolMachine>;
  readonly instance: ScaleSetInstance;
  readonly node: NodeLookup;
  /** The model of the scale set, if known. */
  readonly setHash?: string | undefined;
  readonly nowMs: number;
}

/** The fields to write to the status. */
export interface StatusDecision {
  readonly fields: Partial<Status>;
  readonly conditions: readonly ConditionUpdate[];
}

/** Decides the status of a machine. While its Node cannot be read, the earlier values stay. */
export function decideStatus(view: MachineStatusView): StatusDecision {
  const { instance, node } = view;
  return {
    fields: { ...instanceFields(view), ...nodeFields(node), ...provisionedFields(view) },
    conditions: [
      vmRunning(instance),
      ...bootstrapSucceeded(view),
      ...nodeHealthy(view),
      ...nodeSchedulable(view),
    ],
  };
}

function instanceFields({ machine, instance, setHash }: MachineStatusView): Partial<Status> {
  const { provisioningState, instanceID, name } = instance;
  const modelHash = machine.status?.modelHash ?? machine.metadata.annotations?.[MODEL_HASH_ANNOTATION];
  // Azure counts renewed bootstrap data as a new model, but it does not make a machine outdated.
  const isSame = modelHash !== undefined && modelHash === setHash;
  const isLatestModel = instance.isLatestModel === false ? isSame : instance.isLatestModel;
  return {
    instanceID,
    instanceName: name,
    ...(provisioningState !== "" && { provisioningState }),
    ...(isLatestModel !== undefined && { latestModelApplied: isLatestModel }),
    ...(modelHash !== undefined && { modelHash }),
    ...failureFields(instance),
  };
}

function failureFields({ provisioningState, error }: ScaleSetInstance): Partial<Status> {
  if (provisioningState !== "Failed") return {};
  return { failureReason: error?.code ?? "VMProvisionFailed", failureMessage: error?.message ?? UNEXPLAINED };
}

function nodeFields(observed: NodeLookup): Partial<Status> {
  if (observed.state === "unknown") return {};
  if (observed.state !== "found") return { ready: false };
  const { metadata, status } = observed.node;
  const { name, uid } = metadata;
  const version = status?.nodeInfo?.kubeletVersion;
  return {
    ready: isNodeReady(observed.node),
    nodeRef: { apiVersion: Node.apiVersion, kind: Node.kind, name, ...(uid !== undefined && { uid }) },
    ...(version && { version }),
  };
}

/** Contract v1beta2 asks for the VM alone, and once: that its Node is ready is a condition. */
function provisionedFields({ machine, instance }: MachineStatusView): Partial<Status> {
  const wasProvisioned = machine.status?.initialization?.provisioned === true;
  const isProvisioned = wasProvisioned || instance.provisioningState === "Succeeded";
  return isProvisioned ? { initialization: { provisioned: true } } : {};
}

/** States in which the VM does not run, or is about to stop. Updating is not one: machines work while Azure updates them. */
const VM_TROUBLES: Readonly<Record<string, Omit<ConditionUpdate, "type" | "status">>> = {
  Creating: { severity: "Info", reason: "Creating", message: "Azure is creating the VM" },
  Deleting: { severity: "Info", reason: "VMDeleting", message: "Azure is deleting the VM" },
  Failed: { severity: "Error", reason: "VMProvisionFailed" },
  Canceled: { severity: "Error", reason: "VMProvisionFailed" },
  stopping: { severity: "Warning", reason: "VMStopped", message: "The VM is stopping" },
  stopped: { severity: "Warning", reason: "VMStopped", message: "The VM is stopped" },
  deallocating: { severity: "Warning", reason: "VMDeallocated", message: "The VM is being deallocated" },
  deallocated: { severity: "Warning", reason: "VMDeallocated", message: "The VM is deallocated" },
};

function vmRunning({ provisioningState, powerState, error }: ScaleSetInstance): ConditionUpdate {
  const trouble = VM_TROUBLES[provisioningState] ?? VM_TROUBLES[powerState];
  if (!trouble) return { type: VM_RUNNING, status: "True", reason: "Running" };
  const message = trouble.message ?? error?.message ?? UNEXPLAINED;
  return { ...trouble, type: VM_RUNNING, status: "False", reason: trouble.reason, message };
}

/** The Node belongs to this VM and is not older than it, so this VM has bootstrapped. */
function bootstrapSucceeded(view: MachineStatusView): readonly ConditionUpdate[] {
  const { machine, instance, node } = view;
  const type = BOOTSTRAP_SUCCEEDED;
  if (node.state === "found") return [{ type, status: "True", reason: "NodeJoined" }];
  if (isTrue(machine.status?.conditions, type)) return [];
  const { error } = instance;
  if (error?.class === "Guest") {
    const { message } = error;
    return [{ type, status: "False", severity: "Error", reason: "BootstrapFailed", message }];
  }
  if (node.state === "none" && joinDueInMs(view) === 0) {
    return [
      { type, status: "False", severity: "Warning", reason: NODE_NOT_JOINED, message: overdue(instance) },
    ];
  }
  const message = "The machine has not joined the cluster as a Node yet";
  return [{ type, status: "False", severity: "Info", reason: "BootstrapInProgress", message }];
}

function overdue({ computerName, name, error }: ScaleSetInstance): string {
  return overdueMessage(computerName ?? name, error?.message ?? "Azure reports no error");
}

/** How long the machine may still take to join: 0 when it is overdue, undefined unless its VM runs without a Node. */
export function joinDueInMs({
  machine,
  instance,
  nowMs,
}: Pick<MachineStatusView, "machine" | "instance" | "nowMs">): number | undefined {
  const { provisioningState, provisionedAtMs } = instance;
  if (machine.status?.nodeRef || provisioningState !== "Succeeded" || provisionedAtMs === undefined)
    return undefined;
  return joinLeftMs(provisionedAtMs, nowMs);
}

function nodeHealthy({ machine, instance, node }: MachineStatusView): readonly ConditionUpdate[] {
  const type = NODE_HEALTHY;
  switch (node.state) {
    case "found":
      return [{ type, ...healthOf(node.node) }];
    case "none":
      return [{ type, status: "False", ...absence(machine, instance) }];
    case "impostor":
    case "disputed":
      return [{ type, status: "False", severity: "Warning", reason: "NodeDisputed", message: node.message }];
    case "unknown": {
      const { reason, message } = node;
      return getCondition(machine.status?.conditions, type)
        ? []
        : [{ type, status: "Unknown", reason, message }];
    }
  }
}

/** A cordoned Node is not available, and the machine alone must show why. */
function nodeSchedulable({ machine, node }: MachineStatusView): readonly ConditionUpdate[] {
  const type = NODE_SCHEDULABLE;
  if (node.state !== "found" || machine.metadata.deletionTimestamp !== undefined) return [];
  const { metadata, spec } = node.node;
  if (spec?.unschedulable === true && !isCordonedByUs(node.node)) {
    const message = `Node ${metadata.name} is cordoned and takes no pods; uncordon it if that was not intended`;
    return [{ type, status: "False", severity: "Info", reason: "NodeCordoned", message }];
  }
  return cordonedSince(machine) === undefined ? [] : [{ type, status: "True", reason: "NodeTakesPods" }];
}

function absence(
  { status }: Frozen<AzureMachinePoolMachine>,
  { provisioningState }: ScaleSetInstance,
): Pick<ConditionUpdate, "severity" | "reason" | "message"> & { readonly reason: string } {
  if (status?.nodeRef) {
    return { severity: "Error", reason: "NodeNotFound", message: `Node ${status.nodeRef.name} is gone` };
  }
  const isRunning = provisioningState === "Succeeded";
  return { severity: "Info", reason: isRunning ? "NodeProvisioning" : "WaitingForNodeRef" };
}

// False is the healthy status of these conditions; of Ready it is True.
const PRESSURES: readonly string[] = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"];

function healthOf({
  metadata,
  status,
}: Frozen<Node>): Omit<ConditionUpdate, "type"> & { readonly reason: string } {
  const conditions = status?.conditions ?? [];
  const bad = conditions.filter(isBad);
  const isReported = conditions.some(({ type }) => type === "Ready");
  if (isReported && bad.length === 0) return { status: "True", reason: "NodeConditionsHealthy" };
  const said = bad.map(
    ({ type, status: is, message }) => `${type} is ${is}${message ? ` (${message})` : ""}`,
  );
  const message = `Node ${metadata.name}: ${said.length > 0 ? said.join("; ") : "Ready is not reported yet"}`;
  return { status: "False", severity: "Warning", reason: "NodeConditionsFailed", message };
}

function isBad({ type, status }: Frozen<NodeCondition>): boolean {
  if (type === "Ready") return status !== "True";
  return PRESSURES.includes(type) && status === "True";
}
