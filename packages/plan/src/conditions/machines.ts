import {
  compareVersions,
  type Frozen,
  isUpdatingInPlace,
  type Machine,
  parseVersion,
  reportedCondition,
  type StandardConditionUpdate,
} from "@capstan/api";
import { counted } from "../rollout/shared/action.ts";

/** How many machines have a version of Kubernetes. */
export interface VersionCount {
  readonly version: string;
  readonly replicas: number;
}

/** The counters of v1beta2: machines by their own conditions. */
export interface MachineCounts {
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly upToDateReplicas: number;
}

/** Whether a condition of a machine counts: one that is deleted, or that updaters work on, is not what its condition last said. */
function counts(machine: Frozen<Machine>, type: string): boolean {
  return (
    machine.metadata.deletionTimestamp === undefined &&
    !isUpdatingInPlace(machine) &&
    reportedCondition(machine, type)?.status === "True"
  );
}

/** Whether a machine counts as ready. */
export function isReadyMachine(machine: Frozen<Machine>): boolean {
  return counts(machine, "Ready");
}

/** Whether a machine counts as available. */
export function isAvailableMachine(machine: Frozen<Machine>): boolean {
  return isReadyMachine(machine) && counts(machine, "Available");
}

/** Counts machines by their conditions. */
export function countMachines(machines: readonly Frozen<Machine>[]): MachineCounts {
  const count = (is: (machine: Frozen<Machine>) => boolean): number => machines.filter(is).length;
  return {
    readyReplicas: count(isReadyMachine),
    availableReplicas: count(isAvailableMachine),
    upToDateReplicas: count((machine) => counts(machine, "UpToDate")),
  };
}

// The schema of a Cluster takes no more.
const MOST_VERSIONS = 32;

/** The versions of machines, the oldest first: that of the kubelet, or the desired one until the machine has a Node. */
export function versionsOfMachines(machines: readonly Frozen<Machine>[]): readonly VersionCount[] {
  return sumVersions(
    machines.map(({ spec, status }) => {
      const version = status?.nodeInfo?.kubeletVersion || spec.version;
      return version ? [{ version, replicas: 1 }] : [];
    }),
  );
}

/** Adds up versions, the oldest first. */
export function sumVersions(
  lists: readonly (readonly { readonly version: string; readonly replicas?: number }[] | undefined)[],
): readonly VersionCount[] {
  const sums = new Map<string, number>();
  for (const { version, replicas = 0 } of lists.flatMap((list) => list ?? []))
    if (replicas > 0) sums.set(version, (sums.get(version) ?? 0) + replicas);
  return [...sums]
    .map(([version, replicas]) => ({ version, replicas }))
    .toSorted((a, b) => byVersion(a.version, b.version))
    .slice(0, MOST_VERSIONS);
}

function byVersion(a: string, b: string): number {
  const [older, newer] = [parseVersion(a), parseVersion(b)];
  return (older && newer && compareVersions(older, newer)) || (a < b ? -1 : 1);
}

/** A condition about all machines of an owner, from one that each of them has. */
interface Aggregation {
  readonly type: "MachinesReady" | "MachinesUpToDate";
  /** The condition of the machines. */
  readonly of: "Ready" | "UpToDate";
  readonly text: string;
}

const MACHINES_READY: Aggregation = { type: "MachinesReady", of: "Ready", text: "Not Ready" };
const MACHINES_UP_TO_DATE: Aggregation = { type: "MachinesUpToDate", of: "UpToDate", text: "Not up to date" };

/** Whether all machines are Ready; `trouble` is what a user must mend. */
export function machinesReady(
  machines: readonly Frozen<Machine>[],
  trouble: string | undefined,
): StandardConditionUpdate {
  return aggregate(MACHINES_READY, machines, trouble);
}

/** Whether all machines are up to date. A new one that has not been judged yet does not count. */
export function machinesUpToDate(machines: readonly Frozen<Machine>[]): StandardConditionUpdate {
  const judged = machines.filter((machine) => reportedCondition(machine, "UpToDate") !== undefined);
  return aggregate(MACHINES_UP_TO_DATE, judged, undefined);
}

/**
 * Only the number of machines is told, and what a user must mend: a message with the progress of each machine would be
 * written for every step of every machine.
 */
function aggregate(
  { type, of, text }: Aggregation,
  machines: readonly Frozen<Machine>[],
  trouble: string | undefined,
): StandardConditionUpdate {
  if (machines.length === 0) return { type, status: "True", reason: "NoReplicas", message: "" };
  const statuses = machines.map((machine) => reportedCondition(machine, of)?.status ?? "Unknown");
  const bad = statuses.filter((status) => status === "False").length;
  const unknown = statuses.filter((status) => status === "Unknown").length;
  if (bad + unknown === 0) return { type, status: "True", reason: of, message: "" };
  const message = [
    `${text}: ${bad + unknown} of ${counted(machines.length, "machine")}`,
    trouble ?? [],
  ].flat();
  const status = bad > 0 ? "False" : "Unknown";
  return { type, status, reason: bad > 0 ? `Not${of}` : `${of}Unknown`, message: message.join("; ") };
}

/** Whether the owner replaces machines that a health check found unhealthy. */
export function remediating(
  machines: readonly Frozen<Machine>[],
  isMarked: (machine: Frozen<Machine>) => boolean,
): StandardConditionUpdate {
  const type = "Remediating";
  const marked = machines.filter(isMarked).map(({ metadata }) => metadata.name);
  if (marked.length === 0) return { type, status: "False", reason: "NotRemediating", message: "" };
  return { type, status: "True", reason: "Remediating", message: `Replacing ${named("machine", marked)}` };
}

const MOST_NAMES = 3;

/** Some names, and how many more there are. */
function named(noun: string, names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const some = names.toSorted().slice(0, MOST_NAMES).join(", ");
  return `${noun}${names.length === 1 ? "" : "s"} ${some}${more > 0 ? ` and ${more} more` : ""}`;
}
