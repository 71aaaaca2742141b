import { act, type ControlPlanePlan, headingOf, refusal } from "./action.ts";
import { planInPlace, planUpdateInProgress } from "./in-place.ts";
import { preflight } from "./preflight.ts";
import { additionVerdict, memberHealth } from "./quorum.ts";
import { etcdUnknown, planLeader, planRelease } from "./release.ts";
import { planRemediation } from "./remediation.ts";
import { domainForNewMachine, isDeleting, isHealthy, machineToDelete } from "./selection.ts";
import { planStrayMember } from "./stray-member.ts";
import type { ControlPlaneMachine, ControlPlaneView } from "./view.ts";

type Planner = (view: ControlPlaneView) => ControlPlanePlan | undefined;

const NOTHING: ControlPlanePlan = { actions: [], blocked: [] };

/** The questions in their order: the first that has an answer decides. */
const PLANNERS: readonly Planner[] = [
  planCreationInProgress,
  planFirstMachine,
  planUnreachable,
  planRelease,
  planStrayMember,
  planRemediation,
  planInitialization,
  planUpdateInProgress,
  planRollout,
  planScale,
];

/**
 * Decides the next change of a control plane. There is never more than one: the next machine is created or deleted when the
 * last change is complete and everything is healthy again.
 */
export function planControlPlane(view: ControlPlaneView): ControlPlanePlan {
  for (const planner of PLANNERS) {
    const plan = planner(view);
    if (plan) return plan;
  }
  return NOTHING;
}

function planCreationInProgress(view: ControlPlaneView): ControlPlanePlan | undefined {
  const { creating } = view;
  if (creating === undefined || view.machines.some(({ name }) => name === creating)) return undefined;
  const why = "its creation is recorded, and the cache does not show it yet";
  return act({ ...headingOf(view), action: "Wait", targets: [creating], detail: { for: "Creation" }, why });
}

function planFirstMachine(view: ControlPlaneView): ControlPlanePlan | undefined {
  if (view.machines.length > 0) return undefined;
  if (view.isInitialized) {
    const why =
      "all machines of the control plane are gone, and with them the data of etcd; a new machine would start an empty cluster";
    return refusal(view, "QuorumLost", why);
  }
  if (view.certificateProblem !== undefined)
    return refusal(view, "PreflightCheckFailed", view.certificateProblem);
  return createMachine(view, "init", "the control plane has no machine yet");
}

/** A cluster whose API does not answer is not touched: nothing tells which machines can be missed. */
function planUnreachable(view: ControlPlaneView): ControlPlanePlan | undefined {
  if (!view.isInitialized || view.unreachable === undefined) return undefined;
  return refusal(view, "WorkloadClusterUnreachable", `No machine is created or deleted: ${view.unreachable}`);
}

/** The first machine initializes the cluster; the others can join only then. */
function planInitialization(view: ControlPlaneView): ControlPlanePlan | undefined {
  if (view.isInitialized) return undefined;
  const [first] = view.machines.filter((one) => !isDeleting(one));
  const targets = first ? [first.name] : view.machines.map(({ name }) => name);
  const why = first
    ? "it initializes the cluster"
    : "it is deleted before another machine initializes the cluster";
  return act({ ...headingOf(view), action: "Wait", targets, detail: { for: "Initialization" }, why });
}

function planRollout(view: ControlPlaneView): ControlPlanePlan | undefined {
  const outdated = view.machines.filter((one) => one.outdated.length > 0 && !isDeleting(one));
  const [first] = outdated;
  if (!first) return undefined;
  const inPlace = planInPlace(view);
  // A machine that is going to be deleted is not updated before; an update that has begun is completed.
  const isSurplus = view.machines.length > view.replicas && !view.machines.some(({ update }) => update);
  if (inPlace?.do === "act") return isSurplus ? planScale(view) : inPlace.plan;
  if (inPlace?.do === "hold") {
    // Nothing is replaced, but the number of machines still follows spec.replicas.
    const { actions, blocked } = planScale(view) ?? NOTHING;
    return { actions, blocked: [...inPlace.plan.blocked, ...blocked] };
  }
  return replaceOutdated(inPlace ? { ...view, maxSurge: inPlace.maxSurge } : view, first);
}

function replaceOutdated(view: ControlPlaneView, { name, outdated }: ControlPlaneMachine): ControlPlanePlan {
  const why = `Machine ${name} is outdated: ${outdated.join("; ")}`;
  return view.machines.length < view.replicas + view.maxSurge ? planJoin(view, why) : planDeletion(view, why);
}

function planScale(view: ControlPlaneView): ControlPlanePlan | undefined {
  const { machines, replicas } = view;
  const why = `${replicas} replicas desired, ${machines.length} exist`;
  if (machines.length < replicas) return planJoin(view, why);
  if (machines.length > replicas) return planDeletion(view, why);
  return undefined;
}

function planJoin(view: ControlPlaneView, why: string): ControlPlanePlan {
  const problems = preflight(view, { joins: true });
  if (problems.length === 0) return createMachine(view, "join", why);
  return planReplacement(view, why) ?? refusal(view, "PreflightCheckFailed", problems.join("; "));
}

/** The replacement of a remediated machine joins although another one is unhealthy, if etcd keeps its quorum. */
function planReplacement(view: ControlPlaneView, why: string): ControlPlanePlan | undefined {
  const { etcd, remediationInProgress: remediated } = view;
  if (!remediated || view.machines.some(isDeleting) || !view.machines.some(isHealthy)) return undefined;
  if (view.machines.some(({ nodeName }) => nodeName === undefined)) return undefined;
  if (etcd.state === "known" && !additionVerdict(etcd.members, memberHealth(view)).isSafe) return undefined;
  if (etcd.state === "unknown") return undefined;
  return createMachine(view, "join", `${why}; it replaces Machine ${remediated.machine}`);
}

function planDeletion(view: ControlPlaneView, why: string): ControlPlanePlan {
  const choice = machineToDelete(view);
  if (!choice) {
    const targets = view.machines.filter(isDeleting).map(({ name }) => name);
    return act({ ...headingOf(view), action: "Wait", targets, detail: { for: "Deletion" }, why });
  }
  const { machine, cause } = choice;
  const problems = preflight(view, { except: machine });
  if (problems.length > 0) return refusal(view, "PreflightCheckFailed", problems.join("; "));
  const { etcd } = view;
  if (etcd.state === "unknown") return etcdUnknown(view, etcd, machine.name);
  const leader = etcd.state === "known" ? planLeader(view, machine, etcd) : undefined;
  return (
    leader ??
    act({ ...headingOf(view), action: "DeleteMachine", targets: [machine.name], detail: { cause }, why })
  );
}

function createMachine(view: ControlPlaneView, role: "init" | "join", why: string): ControlPlanePlan {
  const detail = { role, failureDomain: domainForNewMachine(view), count: 1 } as const;
  return act({ ...headingOf(view), action: "CreateMachine", targets: [view.name], detail, why });
}
