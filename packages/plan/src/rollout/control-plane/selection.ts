import type { DeletionCause } from "./action.ts";
import type { ControlPlaneMachine, ControlPlaneView } from "./view.ts";

/** Whether a machine can be counted on: nothing of it is known to be broken or unknown. */
export function isHealthy({ parts, nodeName }: ControlPlaneMachine): boolean {
  return nodeName !== undefined && parts.every(({ health }) => health === "healthy");
}

/** Whether the deletion of a machine was requested. */
export function isDeleting({ deletingSinceMs }: ControlPlaneMachine): boolean {
  return deletingSinceMs !== undefined;
}

/** A machine to delete, and why this one. */
export interface Choice {
  readonly machine: ControlPlaneMachine;
  readonly cause: DeletionCause;
}

/**
 * The machine to delete next: those that users marked first, then unhealthy ones, then any; outdated ones before others. Of
 * these the oldest in the failure domain with the most machines.
 */
export function machineToDelete(view: ControlPlaneView): Choice | undefined {
  const machines = view.machines.filter((one) => !isDeleting(one));
  const isOutdated = ({ outdated }: ControlPlaneMachine): boolean => outdated.length > 0;
  const groups: readonly [DeletionCause, (machine: ControlPlaneMachine) => boolean][] = [
    ["Annotated", (one) => one.hasDeleteAnnotation && isOutdated(one)],
    ["Annotated", (one) => one.hasDeleteAnnotation],
    ["Unhealthy", (one) => isOutdated(one) && !isHealthy(one)],
    ["Outdated", isOutdated],
    ["ScaleDown", () => true],
  ];
  for (const [cause, belongs] of groups) {
    const machine = oldestInFullestDomain(view, machines.filter(belongs));
    if (machine) return { machine, cause };
  }
  return undefined;
}

/** Whether updaters work on a machine, or are about to: its static pods may restart at any time. */
export function isUpdating({ update }: ControlPlaneMachine): boolean {
  return update !== undefined && update.state !== "failed";
}

/** The machine that is updated in place next: one whose update has begun, then unhealthy ones, then any. */
export function machineToUpdate(view: ControlPlaneView): ControlPlaneMachine | undefined {
  const outdated = view.machines.filter((one) => one.outdated.length > 0 && !isDeleting(one));
  const groups: readonly ((machine: ControlPlaneMachine) => boolean)[] = [
    ({ update }) => update !== undefined,
    (one) => !isHealthy(one),
    () => true,
  ];
  const group = groups.map((belongs) => outdated.filter(belongs)).find(({ length }) => length > 0);
  return oldestInFullestDomain(view, group ?? []);
}

function oldestInFullestDomain(
  { machines, failureDomains }: ControlPlaneView,
  candidates: readonly ControlPlaneMachine[],
): ControlPlaneMachine | undefined {
  const count = countByDomain(machines);
  const weightOf = ({ failureDomain }: ControlPlaneMachine): number => {
    // A domain that the cluster no longer has goes first.
    if (failureDomain !== undefined && failureDomains.length > 0 && !failureDomains.includes(failureDomain))
      return Infinity;
    return count(failureDomain);
  };
  return candidates.toSorted(
    (a, b) => compare(weightOf(b), weightOf(a)) || a.createdMs - b.createdMs || compare(a.name, b.name),
  )[0];
}

/** The failure domain for a new machine: the one with the fewest up-to-date machines, then with the fewest at all. */
export function domainForNewMachine({ machines, failureDomains }: ControlPlaneView): string | undefined {
  const current = countByDomain(machines.filter((one) => !isDeleting(one) && one.outdated.length === 0));
  const all = countByDomain(machines);
  return failureDomains.toSorted(
    (a, b) => compare(current(a), current(b)) || compare(all(a), all(b)) || compare(a, b),
  )[0];
}

/** The machine that gets the leadership of etcd: a healthy one that stays, an up-to-date one, the newest. */
export function leaderCandidate(
  { machines }: ControlPlaneView,
  except: ControlPlaneMachine,
): ControlPlaneMachine | undefined {
  return machines
    .filter((one) => one !== except && !isDeleting(one) && one.nodeName !== undefined)
    .toSorted(
      (a, b) =>
        compare(Number(isHealthy(b)), Number(isHealthy(a))) ||
        compare(a.outdated.length > 0 ? 1 : 0, b.outdated.length > 0 ? 1 : 0) ||
        b.createdMs - a.createdMs ||
        compare(a.name, b.name),
    )[0];
}

function countByDomain(machines: readonly ControlPlaneMachine[]): (domain: string | undefined) => number {
  const groups = Map.groupBy(machines, ({ failureDomain }) => failureDomain);
  return (domain) => groups.get(domain)?.length ?? 0;
}

function compare<T extends number | string>(a: T, b: T): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
