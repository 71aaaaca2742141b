import type { Action, BlockedBy, Heading } from "../shared/action.ts";
import type { ControlPlaneView, RemediationRecord } from "./view.ts";

/** Why a machine of a control plane is deleted, in one word. */
export type DeletionCause = "Annotated" | "Outdated" | "Unhealthy" | "ScaleDown";

/** What the KubeadmControlPlane controller does next; `capstan plan` prints these names. */
export type ControlPlaneAction =
  | Action<
      "CreateMachine",
      { readonly role: "init" | "join"; readonly failureDomain: string | undefined; readonly count: 1 }
    >
  | Action<"DeleteMachine", { readonly cause: DeletionCause }>
  | Action<"MoveEtcdLeader", { readonly from: string; readonly to: string; readonly id: string }>
  | Action<"RemoveEtcdMember", { readonly id: string; readonly machine: string | undefined }>
  | Action<"ReleaseMachine", { readonly hook: string }>
  | Action<"Remediate", { readonly cause: "Requested" | "Unhealthy"; readonly record: RemediationRecord }>
  | Action<
      "UpdateMachineInPlace",
      {
        readonly updaters: readonly string[];
        /** The fields that the updaters change. */
        readonly paths: readonly string[];
        /** Whether the Node is drained before. */
        readonly needsDrain?: boolean;
        /** The desired state that the update leads to; it identifies the update after a crash. */
        readonly key: string;
      }
    >
  | Action<"Wait", { readonly for: "Initialization" | "Creation" | "Deletion" | "Update" }>;

/** Why the KubeadmControlPlane controller does not do more. */
export type ControlPlaneBlocked = BlockedBy<
  | "PreflightCheckFailed"
  | "WorkloadClusterUnreachable"
  | "QuorumAtRisk"
  | "QuorumLost"
  | "EtcdUnknown"
  | "RemediationDeferred"
  | "CannotBeRemediated"
  | InPlaceHold
>;

/** Why machines are neither updated in place nor replaced. */
export type InPlaceHold =
  | "ChangesNotCovered"
  | "InPlaceUpdatesDisabled"
  | "UpdateFailed"
  | "UpdatersNotAnswering"
  | "WaitingForApproval";

/** The next action of a control plane, and the blocks that prevent more. There is never more than one change at a time. */
export interface ControlPlanePlan {
  readonly actions: readonly ControlPlaneAction[];
  readonly blocked: readonly ControlPlaneBlocked[];
}

/** A plan of one action. */
export function act(action: ControlPlaneAction): ControlPlanePlan {
  return { actions: [action], blocked: [] };
}

/** A plan without an action, and the reason. */
export function refusal(
  view: ControlPlaneView,
  reason: ControlPlaneBlocked["reason"],
  why: string,
): ControlPlanePlan {
  return { actions: [], blocked: [{ ...headingOf(view), reason, targets: [view.name], why }] };
}

/** The same plan, with the machine that its reasons are about. */
export function about(machine: string, { actions, blocked }: ControlPlanePlan): ControlPlanePlan {
  return { actions, blocked: blocked.map((one) => ({ ...one, targets: [machine] })) };
}

/** The controller and the object of all actions of a control plane. */
export function headingOf({ namespace, name }: ControlPlaneView): Heading {
  return { controller: "kubeadmcontrolplane", object: { kind: "KubeadmControlPlane", namespace, name } };
}
