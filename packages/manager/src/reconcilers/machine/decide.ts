import {
  boundedText,
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  isUpdatingInPlace,
  type Machine,
  type MachineSet,
  type Node,
} from "@capstan/api";
import type { Editable } from "@capstan/runtime";
import { failureOf, isReady } from "../../contract/contract-object.ts";
import { type ConditionUpdate, mirrorReady } from "../../contract/ready.ts";
import { absence, type ResolvedReference } from "../../contract/resolve.ts";
import { isNodeReady, isNodeUsable, longEnoughAtMs } from "../../workload/availability.ts";
import type { NodeLookup } from "../../workload/find-node.ts";
import { joinLeftMs, NODE_NOT_JOINED, overdueMessage } from "../../workload/overdue-join.ts";
import {
  AVAILABLE,
  BOOTSTRAP_READY,
  HEALTH_CHECK_SUCCEEDED,
  INFRASTRUCTURE_READY,
  NODE_HEALTHY,
} from "../../machines/conditions.ts";

type Status = NonNullable<Editable<Machine>["status"]>;

/** The observations of a pass over a Machine. */
export interface Observed {
  readonly bootstrap?: ResolvedReference | undefined;
  readonly infrastructure?: ResolvedReference | undefined;
  readonly node: NodeLookup;
  readonly set: Frozen<MachineSet> | undefined;
  readonly nowMs: number;
}

/** The new status. */
export interface Verdict {
  readonly fields: Partial<Status>;
  /** Why the machine failed for good, which only clients of v1beta1 read. */
  readonly failure: Failure | undefined;
  readonly conditions: readonly ConditionUpdate[];
}

/** Decides the status of a Machine that is not being deleted, apart from Ready and Available. */
export function decideStatus(machine: Frozen<Machine>, observed: Observed): Verdict {
  const bootstrap = bootstrapStatus(machine, observed.bootstrap);
  const infrastructure = infrastructureStatus(machine, observed.infrastructure);
  const node = nodeFields(machine, observed.node);
  const failure = failureIn(observed);
  const initialization = {
    bootstrapDataSecretCreated: bootstrap.isReady,
    infrastructureProvisioned: infrastructure.isReady,
  };
  const fields: Partial<Status> = { initialization, ...node };
  return {
    fields: { ...fields, phase: failure ? "Failed" : phaseOf(fields, machine) },
    failure,
    conditions: [bootstrap.condition, infrastructure.condition, nodeCondition(machine, observed)],
  };
}

interface ReferenceStatus {
  readonly isReady: boolean;
  readonly condition: ConditionUpdate;
}

function bootstrapStatus(
  { spec }: Frozen<Machine>,
  resolved: ResolvedReference | undefined,
): ReferenceStatus {
  const type = BOOTSTRAP_READY;
  const isDone = spec.bootstrap.dataSecretName !== undefined;
  if (!spec.bootstrap.configRef) {
    const message = `Secret ${spec.bootstrap.dataSecretName} has the bootstrap data`;
    return { isReady: isDone, condition: { type, status: "True", reason: "DataSecretProvided", message } };
  }
  if (resolved?.state !== "found")
    return missing(type, resolved, { isDone, waitingReason: "WaitingForBootstrap" });
  return { isReady: isDone, condition: mirrorReady(type, resolved.object, "WaitingForDataSecret") };
}

function infrastructureStatus(
  machine: Frozen<Machine>,
  resolved: ResolvedReference | undefined,
): ReferenceStatus {
  const type = INFRASTRUCTURE_READY;
  const isDone = machine.status?.initialization?.infrastructureProvisioned === true;
  if (resolved?.state !== "found") {
    return missing(type, resolved, { isDone, waitingReason: "WaitingForInfrastructure" });
  }
  const hasID = machine.spec.providerID !== undefined;
  if (isReady(resolved.object) && !hasID) {
    const message = `${resolved.target.text} is ready, but has no spec.providerID yet`;
    const condition = {
      type,
      status: "False",
      severity: "Info",
      reason: "WaitingForProviderID",
      message,
    } as const;
    return { isReady: false, condition };
  }
  const condition = mirrorReady(type, resolved.object, "WaitingForInfrastructure");
  return { isReady: isDone || (isReady(resolved.object) && hasID), condition };
}

/** A referenced object that does not exist: not yet, or no longer. */
function missing(
  type: string,
  resolved: ResolvedReference | undefined,
  { isDone, waitingReason }: { readonly isDone: boolean; readonly waitingReason: string },
): ReferenceStatus {
  if (!isDone || !resolved) {
    const message = resolved ? absence(resolved) : "The reference has not been resolved yet";
    return {
      isReady: isDone,
      condition: { type, status: "False", severity: "Info", reason: waitingReason, message },
    };
  }
  const message = `${resolved.target.text} was deleted; delete the Machine to have it replaced`;
  const reason = "ReferencedObjectDeleted";
  return { isReady: isDone, condition: { type, status: "False", severity: "Error", reason, message } };
}

/**
 * How long a machine may still take to join: 0 when it is overdue, undefined unless its infrastructure is ready and it
 * never had a Node.
 */
export function joinDueInMs(machine: Frozen<Machine>, nowMs: number): number | undefined {
  if (machine.status?.nodeRef || machine.spec.providerID === undefined) return undefined;
  const ready = getCondition(deprecatedConditionsOf(machine), INFRASTRUCTURE_READY);
  return joinLeftMs(ready?.status === "True" ? Date.parse(ready.lastTransitionTime) : nowMs, nowMs);
}

/** Severity, reason and message of a condition. */
type Explanation = readonly [severity: "Info" | "Warning" | "Error", reason: string, message: string];

function nodeCondition(machine: Frozen<Machine>, { node, nowMs }: Observed): ConditionUpdate {
  const type = NODE_HEALTHY;
  const isFalse = (...[severity, reason, message]: Explanation): ConditionUpdate => ({
    type,
    status: "False",
    severity,
    reason,
    message,
  });
  switch (node.state) {
    case "unknown":
      return { type, status: "Unknown", reason: node.reason, message: node.message };
    case "disputed":
    case "impostor":
      return isFalse("Error", "NodeDisputed", node.message);
    case "none":
      return isFalse(...whyNoNode(machine, nowMs));
    case "found":
      if (isNodeReady(node.node)) return { type, status: "True", reason: "NodeReady" };
      return isFalse("Warning", "NodeConditionsFailed", `Node ${node.node.metadata.name} is not Ready`);
  }
}

function whyNoNode(machine: Frozen<Machine>, nowMs: number): Explanation {
  const { nodeRef } = machine.status ?? {};
  const { providerID } = machine.spec;
  if (nodeRef) return ["Error", "NodeNotFound", `Node ${nodeRef.name} no longer exists`];
  if (providerID === undefined) return ["Info", "WaitingForNodeRef", "The machine has no provider id yet"];
  if (joinDueInMs(machine, nowMs) === 0) return ["Warning", NODE_NOT_JOINED, overdueTextOf(machine)];
  return ["Info", "NodeProvisioning", `No Node with the provider id ${providerID} has joined yet`];
}

function overdueTextOf({ spec }: Frozen<Machine>): string {
  const { kind, name } = spec.infrastructureRef;
  return overdueMessage(name, `${kind} ${name} reports no error`);
}

/** A Node that was found once stays referenced: health checks must see that it is gone. */
function nodeFields({ status }: Frozen<Machine>, node: NodeLookup): Pick<Status, "nodeRef" | "nodeInfo"> {
  if (node.state !== "found") return status?.nodeRef ? { nodeRef: { ...status.nodeRef } } : {};
  const { name } = node.node.metadata;
  const { nodeInfo } = node.node.status ?? {};
  return { nodeRef: { name }, ...(nodeInfo && { nodeInfo: nodeInfoFields({ ...nodeInfo }) }) };
}

const NODE_INFO_FIELDS = [
  "architecture",
  "bootID",
  "containerRuntimeVersion",
  "kernelVersion",
  "kubeProxyVersion",
  "kubeletVersion",
  "machineID",
  "operatingSystem",
  "osImage",
  "systemUUID",
] as const;
const LONGEST_FIELD = 256;

/** A kubelet can write any text, or none, and the server refuses a status without one of these fields. */
function nodeInfoFields(info: Readonly<Record<string, unknown>>): NonNullable<Status["nodeInfo"]> {
  const entries = NODE_INFO_FIELDS.map((field) => {
    const value = info[field];
    return [field, typeof value === "string" ? boundedText(value, LONGEST_FIELD) : ""] as const;
  });
  return Object.fromEntries(entries) as Record<(typeof NODE_INFO_FIELDS)[number], string>;
}

interface Failure {
  readonly failureReason: string;
  readonly failureMessage: string;
}

function failureIn({ bootstrap, infrastructure }: Observed): Failure | undefined {
  for (const resolved of [infrastructure, bootstrap]) {
    const failure = resolved?.state === "found" ? failureOf(resolved.object) : undefined;
    if (failure) {
      const failureMessage = `${resolved?.target.text}: ${failure.message}`;
      return { failureReason: failure.reason, failureMessage };
    }
  }
  return undefined;
}

function phaseOf(
  { initialization, nodeRef }: Partial<Status>,
  machine: Frozen<Machine>,
): NonNullable<Status["phase"]> {
  if (isUpdatingInPlace(machine)) return "Updating";
  if (initialization?.infrastructureProvisioned === true) return nodeRef ? "Running" : "Provisioned";
  return initialization?.bootstrapDataSecretCreated === true ? "Provisioning" : "Pending";
}

/** The input of the decision whether a machine is available. */
export interface AvailabilityInput {
  readonly machine: Frozen<Machine>;
  readonly set: Frozen<MachineSet> | undefined;
  readonly node: Frozen<Node>;
  readonly nowMs: number;
}

/** Since when a machine is Ready, and when it will have been for long enough. */
export function availabilityOfMachine({ machine, set, node, nowMs }: AvailabilityInput): {
  readonly condition: ConditionUpdate;
  readonly availableAtMs?: number;
} {
  const type = AVAILABLE;
  const isFalse = (reason: string, message: string): ConditionUpdate => ({
    type,
    status: "False",
    severity: "Info",
    reason,
    message,
  });
  const ready = getCondition(deprecatedConditionsOf(machine), "Ready");
  if (ready?.status !== "True") return { condition: isFalse("NotReady", "The machine is not Ready") };
  if (!isNodeUsable(node)) {
    const message = `Node ${node.metadata.name} takes no pods: it is cordoned, not initialized, or being deleted`;
    return { condition: isFalse("NodeNotSchedulable", message) };
  }
  const minReadySeconds = set?.spec.template.spec.minReadySeconds ?? machine.spec.minReadySeconds ?? 0;
  const availableAtMs = longEnoughAtMs(Date.parse(ready.lastTransitionTime), minReadySeconds);
  if (availableAtMs <= nowMs) return { condition: { type, status: "True", reason: "Available" } };
  const message = `The machine has not been Ready for ${minReadySeconds} s yet`;
  return { availableAtMs, condition: isFalse("WaitingForMinReadySeconds", message) };
}

/** The conditions that Ready summarizes, the most important first. */
export const SUMMED_UP = [INFRASTRUCTURE_READY, BOOTSTRAP_READY, NODE_HEALTHY, HEALTH_CHECK_SUCCEEDED];
