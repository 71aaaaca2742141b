import { about, act, type ControlPlanePlan, headingOf, refusal } from "./action.ts";
import { memberHealth, memberOf, removalVerdict } from "./quorum.ts";
import { isHealthy, isUpdating, leaderCandidate } from "./selection.ts";
import type { ControlPlaneMachine, ControlPlaneView, EtcdView, MemberView } from "./view.ts";

/**
 * Takes the member of a machine that is being deleted out of etcd, and then lets the deletion continue. The machine has been
 * drained by then: without its member, its kubelet would have no API server. One machine at a time, the first deleted first.
 */
export function planRelease(view: ControlPlaneView): ControlPlanePlan | undefined {
  const deleting = view.machines.filter(({ deletingSinceMs }) => deletingSinceMs !== undefined);
  const waiting = deleting
    .filter(({ waitsForRelease, hasHook }) => waitsForRelease && hasHook)
    .toSorted((a, b) => (a.deletingSinceMs ?? 0) - (b.deletingSinceMs ?? 0) || (a.name < b.name ? -1 : 1));
  const [machine] = waiting;
  if (!machine) return undefined;
  const released = deleting.find(({ hasHook }) => !hasHook);
  if (released) return wait(view, machine, `Machine ${released.name} is deleted first`);
  if (machine.otherHooks.length > 0)
    return wait(view, machine, `its hooks come first: ${machine.otherHooks.join(", ")}`);
  if (view.machines.length === 1)
    return release(view, machine, "it is the last machine of the control plane");
  if (view.etcd.state === "external") return release(view, machine, "etcd is external");
  const updating = view.machines.find((one) => one !== machine && isUpdating(one));
  if (updating) return wait(view, machine, `Machine ${updating.name} is being updated in place`);
  return planMemberRemoval(view, machine);
}

function planMemberRemoval(view: ControlPlaneView, machine: ControlPlaneMachine): ControlPlanePlan {
  const { etcd } = view;
  if (etcd.state !== "known") return etcdUnknown(view, etcd, machine.name);
  const member = memberOf(etcd.members, machine);
  if (!member) return release(view, machine, "etcd has no member for it");
  if (!view.machines.some((one) => one !== machine && isHealthy(one)))
    return about(
      machine.name,
      refusal(view, "QuorumAtRisk", "no other machine of the control plane is healthy"),
    );
  const verdict = removalVerdict(etcd.members, member.id, memberHealth(view));
  if (!verdict.isSafe)
    return about(
      machine.name,
      refusal(view, "QuorumAtRisk", `etcd cannot lose the member of ${machine.name}: ${verdict.why}`),
    );
  return (
    planLeader(view, machine, { members: etcd.members, leader: etcd.leader }) ??
    act({
      ...headingOf(view),
      action: "RemoveEtcdMember",
      targets: [member.name],
      detail: { id: member.id, machine: machine.name },
      why: `Machine ${machine.name} is being deleted and has been drained`,
    })
  );
}

/** The members of etcd, and what happens to the machine after the leadership has moved off it. */
interface Leadership {
  readonly members: readonly MemberView[];
  readonly leader: string | undefined;
  readonly next?: string;
}

/** Moves the leadership of etcd off a machine; undefined when it does not lead. */
export function planLeader(
  view: ControlPlaneView,
  machine: ControlPlaneMachine,
  { members, leader, next = "is about to go" }: Leadership,
): ControlPlanePlan | undefined {
  const member = memberOf(members, machine);
  if (!member || member.id !== leader) return undefined;
  // A leader whose machine does not answer cannot hand over; without its member, etcd elects another.
  if (!machine.isReachable) return undefined;
  const candidate = leaderCandidate(view, machine);
  const target = candidate && memberOf(members, candidate);
  if (!candidate || !target)
    return about(
      machine.name,
      refusal(view, "QuorumAtRisk", `no machine can take the leadership of etcd from ${machine.name}`),
    );
  return act({
    ...headingOf(view),
    action: "MoveEtcdLeader",
    targets: [target.name],
    detail: { from: member.name, to: target.name, id: target.id },
    why: `the member of Machine ${machine.name} leads etcd, and the machine ${next}`,
  });
}

/** Why nothing is done while the members are not known. */
export function etcdUnknown(view: ControlPlaneView, etcd: EtcdView, machine: string): ControlPlanePlan {
  const why = "why" in etcd ? etcd.why : "the members of etcd are not known";
  return about(machine, refusal(view, "EtcdUnknown", `Machine ${machine} stays: ${why}`));
}

function release(view: ControlPlaneView, { name }: ControlPlaneMachine, why: string): ControlPlanePlan {
  return act({
    ...headingOf(view),
    action: "ReleaseMachine",
    targets: [name],
    detail: { hook: "kcp-cleanup" },
    why,
  });
}

function wait(view: ControlPlaneView, { name }: ControlPlaneMachine, why: string): ControlPlanePlan {
  return act({ ...headingOf(view), action: "Wait", targets: [name], detail: { for: "Deletion" }, why });
}
