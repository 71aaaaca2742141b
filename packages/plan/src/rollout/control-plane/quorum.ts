import { counted } from "../shared/action.ts";
import type { ControlPlaneMachine, ControlPlaneView, MemberView } from "./view.ts";

/** Whether a change of the members is safe, and why not. */
export type QuorumVerdict = { readonly isSafe: true } | { readonly isSafe: false; readonly why: string };

/** How many voters must agree. */
function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/** Whether etcd keeps its quorum without a member, as far as the controller can tell from the health of the others. */
export function removalVerdict(
  members: readonly MemberView[],
  target: string,
  isHealthy: (member: MemberView) => boolean,
): QuorumVerdict {
  const rest = members.filter(({ id }) => id !== target);
  return verdictOf(rest, rest.filter((one) => !isHealthy(one)).length);
}

/**
 * Whether etcd keeps its quorum while a member restarts: the member still counts as a voter. A single member has no quorum
 * that another one could keep; it restarts alone.
 */
export function outageVerdict(
  members: readonly MemberView[],
  target: string,
  isHealthy: (member: MemberView) => boolean,
): QuorumVerdict {
  if (members.length === 1) return { isSafe: true };
  return verdictOf(members, members.filter((one) => one.id === target || !isHealthy(one)).length);
}

/** Whether etcd keeps its quorum with one more member, which counts as unhealthy until it has joined. */
export function additionVerdict(
  members: readonly MemberView[],
  isHealthy: (member: MemberView) => boolean,
): QuorumVerdict {
  const unhealthy = members.filter((one) => !isHealthy(one)).length;
  const joining = members.length <= 1 ? 0 : 1;
  const added = { id: "", name: "(joining)", isLearner: false, hasAlarm: false };
  return verdictOf([...members, added], unhealthy + joining);
}

function verdictOf(members: readonly MemberView[], unhealthy: number): QuorumVerdict {
  const unfinished = members.find(({ isLearner, name }) => isLearner || name === "");
  if (unfinished)
    return { isSafe: false, why: `etcd member ${unfinished.name || unfinished.id} has not finished joining` };
  const healthy = members.length - unhealthy;
  const needed = quorumOf(members.length);
  if (healthy >= needed) return { isSafe: true };
  const voters = counted(members.length, "etcd member");
  return { isSafe: false, why: `${healthy} of ${voters} would be healthy, and ${needed} are needed` };
}

/** The member of a machine; undefined for a machine that never joined. */
export function memberOf(
  members: readonly MemberView[],
  { nodeName }: ControlPlaneMachine,
): MemberView | undefined {
  return nodeName === undefined ? undefined : members.find(({ name }) => name === nodeName);
}

/** The condition of a machine that reports on its member of etcd. */
export const ETCD_MEMBER_HEALTHY = "EtcdMemberHealthy";

/** Judges members by the health of their machines; a member without a machine by its alarms. */
export function memberHealth({
  machines,
}: Pick<ControlPlaneView, "machines">): (member: MemberView) => boolean {
  const byNode = new Map(machines.map((machine) => [machine.nodeName, machine]));
  return ({ name, hasAlarm }) => {
    const machine = byNode.get(name);
    if (!machine) return !hasAlarm && name !== "";
    return machine.parts.some(({ part, health }) => part === ETCD_MEMBER_HEALTHY && health === "healthy");
  };
}
