import { about, act, type ControlPlanePlan, headingOf, type InPlaceHold, refusal } from "./action.ts";
import { preflight } from "./preflight.ts";
import { memberHealth, memberOf, outageVerdict } from "./quorum.ts";
import { etcdUnknown, planLeader } from "./release.ts";
import { isDeleting, isHealthy, machineToUpdate } from "./selection.ts";
import type { ControlPlaneMachine, ControlPlaneView, ControlPlaneUpdateView } from "./view.ts";

/** What updates in place mean for outdated machines. */
export type InPlaceStep =
  | { readonly do: "act"; readonly plan: ControlPlanePlan }
  /** Machines are neither updated nor replaced. */
  | { readonly do: "hold"; readonly plan: ControlPlanePlan }
  /** The updaters cannot make the changes, and a user allows to replace the machines. */
  | { readonly do: "replace"; readonly maxSurge: 0 | 1 };

const WAYS_OUT =
  "change the control plane, register an updater for these fields, or set spec.rollout.strategy.fallbackRollingUpdate to have the machines replaced";

/** Waits for the update of a machine: no other change of the control plane happens meanwhile. */
export function planUpdateInProgress(view: ControlPlaneView): ControlPlanePlan | undefined {
  const machine = view.machines.find((one) => one.update !== undefined && !isDeleting(one));
  if (!machine?.update) return undefined;
  const { name, update } = machine;
  // A crash came between the writes of the desired state; the rollout writes them again, towards what is desired now.
  if (update.state === "begun") return undefined;
  if (update.state === "running") {
    const why = "updaters work on it in place";
    return act({ ...headingOf(view), action: "Wait", targets: [name], detail: { for: "Update" }, why });
  }
  // A changed control plane is a new attempt; the rollout decides about it.
  if (view.inPlace?.key !== update.key && machine.outdated.length > 0) return undefined;
  return hold(view, machine, {
    reason: "UpdateFailed",
    why: `the update of Machine ${name} failed; read its conditions, then change the control plane, retry, or delete the machine`,
  });
}

/** Decides about outdated machines; undefined if the strategy does not update in place. */
export function planInPlace(view: ControlPlaneView): InPlaceStep | undefined {
  const { inPlace } = view;
  const machine = machineToUpdate(view);
  if (!inPlace || !machine) return undefined;
  const holdBecause = (reason: InPlaceHold, why: string): InPlaceStep => ({
    do: "hold",
    plan: hold(view, machine, { reason, why }),
  });
  if (inPlace.isDisabled) {
    const why =
      "spec.rollout.strategy.type needs the feature gate InPlaceUpdates, which is off; machines are neither updated nor replaced";
    return holdBecause("InPlaceUpdatesDisabled", why);
  }
  const verdict = inPlace.verdicts.get(machine.name);
  if (!verdict || verdict.result === "Unknown")
    return holdBecause("UpdatersNotAnswering", verdict?.why ?? "the updaters have not been asked yet");
  if (verdict.result === "Covered") return planCovered(view, inPlace, machine);
  if (inPlace.fallbackSurge !== undefined) return { do: "replace", maxSurge: inPlace.fallbackSurge };
  return holdBecause("ChangesNotCovered", `Machine ${machine.name}: ${verdict.why}; ${WAYS_OUT}`);
}

function planCovered(
  view: ControlPlaneView,
  inPlace: ControlPlaneUpdateView,
  machine: ControlPlaneMachine,
): InPlaceStep {
  const why = missingApproval(view, inPlace, machine);
  return why === undefined
    ? { do: "act", plan: planUpdate(view, inPlace, machine) }
    : { do: "hold", plan: hold(view, machine, { reason: "WaitingForApproval", why }) };
}

/** Why a user must look at the first machine before the others follow; undefined if no approval is needed. */
function missingApproval(
  { machines }: ControlPlaneView,
  { approval, key }: ControlPlaneUpdateView,
  { update }: ControlPlaneMachine,
): string | undefined {
  // An update that has begun is completed.
  if (!approval || approval.approved === key || update) return undefined;
  const first = machines.find((one) => one.outdated.length === 0 && !isDeleting(one));
  if (!first) return undefined;
  return `Machine ${first.name} was updated; approve the others with the annotation in-place-updates.capstan.dev/approved-update=${key}`;
}

/** Updates one machine, if all others are healthy, etcd keeps its quorum meanwhile, and another member leads. */
function planUpdate(
  view: ControlPlaneView,
  inPlace: ControlPlaneUpdateView,
  machine: ControlPlaneMachine,
): ControlPlanePlan {
  const { name } = machine;
  const verdict = inPlace.verdicts.get(name);
  const {
    updaters,
    paths,
    why,
    needsDrain = false,
  } = verdict?.result === "Covered" ? verdict : { updaters: [], paths: [], why: "" };
  const problems = preflight(view, { except: machine });
  if (problems.length > 0) return refusal(view, "PreflightCheckFailed", problems.join("; "));
  // A machine that no other one can stand in for must be whole before it is changed.
  if (view.machines.length === 1 && !isHealthy(machine))
    return refusal(view, "PreflightCheckFailed", preflight(view, {}).join("; "));
  return (
    planEtcd(view, machine) ??
    act({
      ...headingOf(view),
      action: "UpdateMachineInPlace",
      targets: [name],
      detail: { updaters, paths, key: inPlace.key, ...(needsDrain && { needsDrain }) },
      why,
    })
  );
}

function planEtcd(view: ControlPlaneView, machine: ControlPlaneMachine): ControlPlanePlan | undefined {
  const { etcd } = view;
  if (etcd.state === "external") return undefined;
  if (etcd.state !== "known") return etcdUnknown(view, etcd, machine.name);
  const { members, leader } = etcd;
  if (members.length === 1) return undefined;
  const verdict = outageVerdict(members, memberOf(members, machine)?.id ?? "", memberHealth(view));
  if (verdict.isSafe) return planLeader(view, machine, { members, leader, next: "is about to be updated" });
  const why = `etcd cannot miss the member of ${machine.name} while it is updated: ${verdict.why}`;
  return about(machine.name, refusal(view, "QuorumAtRisk", why));
}

function hold(
  view: ControlPlaneView,
  { name }: ControlPlaneMachine,
  { reason, why }: { readonly reason: InPlaceHold; readonly why: string },
): ControlPlanePlan {
  return about(name, refusal(view, reason, why));
}
