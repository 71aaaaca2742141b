import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  type Frozen,
  getCondition,
  type Pod,
} from "@capstan/api";
import { IMAGE_VERSION_ANNOTATION, isPrototypeVersion } from "@capstan/manager";
import { table } from "../render/table.ts";

type Machine = Frozen<AzureMachinePoolMachine>;

/** The machines of a pool by the image that they were created from. */
export interface MachinesByImage {
  readonly own: readonly Machine[];
  readonly base: readonly Machine[];
}

/** Divides machines into those from an image of the pool and those from the image in its spec. */
export function machinesByImage(
  pool: Frozen<AzureMachinePool>,
  machines: readonly Machine[],
): MachinesByImage {
  const { computeGallery, sharedGallery } = pool.spec.template.image ?? {};
  const base = computeGallery?.version ?? sharedGallery?.version;
  const isOwn = ({ metadata }: Machine): boolean => {
    const version = metadata.annotations?.[IMAGE_VERSION_ANNOTATION] ?? "";
    return version !== base && isPrototypeVersion(version);
  };
  return { own: machines.filter(isOwn), base: machines.filter((machine) => !isOwn(machine)) };
}

// Pods that start later find images that earlier pods have pulled.
const FIRST_PODS_MS = 10 * 60_000;
// Reading the pods of each machine is a request.
const MOST_MEASURED = 10;

/**
 * The machines whose pods are measured: the newest ones. The pods of a donor became Ready a second time when it was started
 * again, so donors are left out.
 */
export function machinesToMeasure(
  pool: Frozen<AzureMachinePool>,
  machines: readonly Machine[],
): readonly Machine[] {
  const { donor, history = [] } = pool.status?.nodePrototyping ?? {};
  const donors = new Set([donor?.machine, ...history.map((one) => one.donor)]);
  return machines
    .filter(({ metadata, status }) => status?.nodeRef !== undefined && !donors.has(metadata.name))
    .sort((a, b) => createdMs(b) - createdMs(a))
    .slice(0, MOST_MEASURED);
}

/** The pods on the Nodes that were measured. */
export type PodsByNode = ReadonlyMap<string, readonly Frozen<Pod>[]>;

/** How long machines took to a Ready Node, and their first pods to be Ready, with images of the pool and without. */
export function benefitText({ own, base }: MachinesByImage, pods: PodsByNode): string {
  const rows = [["an image of this pool", own] as const, ["the image in the spec", base] as const].flatMap(
    ([name, machines]) => {
      const times = machines.flatMap((machine) => secondsToNode(machine) ?? []);
      const starts = machines.flatMap((machine) => podSeconds(machine, pods));
      return times.length === 0 ? [] : [[name, String(times.length), medianOf(times), medianOf(starts)]];
    },
  );
  const head = ["MACHINES FROM", "COUNT", "NODE READY AFTER", "FIRST PODS READY AFTER"];
  return rows.length === 0 ? "" : table(head, rows);
}

function medianOf(seconds: readonly number[]): string {
  const median = [...seconds].sort((a, b) => a - b)[Math.floor(seconds.length / 2)];
  return median === undefined ? "-" : `${median} s`;
}

function createdMs({ metadata }: Machine): number {
  return Date.parse(metadata.creationTimestamp ?? "");
}

/** When the machine's Node was Ready for the first time. */
function joinedMs({ status }: Machine): number {
  const joined = getCondition(status?.conditions, "BootstrapSucceeded");
  return joined?.status === "True" ? Date.parse(joined.lastTransitionTime) : Number.NaN;
}

function secondsToNode(machine: Machine): number | undefined {
  const seconds = (joinedMs(machine) - createdMs(machine)) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.round(seconds);
}

/** How long the first pods of a machine took, from the kubelet's start of them. */
function podSeconds(machine: Machine, pods: PodsByNode): readonly number[] {
  const onNode = pods.get(machine.status?.nodeRef?.name ?? "") ?? [];
  return onNode.flatMap(({ status }) => {
    const startMs = Date.parse(status?.startTime ?? "");
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    const readyMs = ready?.status === "True" ? Date.parse(ready.lastTransitionTime ?? "") : Number.NaN;
    const isFirst = startMs < joinedMs(machine) + FIRST_PODS_MS;
    return isFirst && readyMs >= startMs ? [Math.round((readyMs - startMs) / 1000)] : [];
  });
}
