import {
  type AzureMachine,
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  type AzureMachineTemplate,
  baseImageOf,
  controllerOf,
  type Frozen,
  getCondition,
  type Machine,
  olderConditionsOf,
  type Pod,
} from "@capstan/api";
import { IMAGE_VERSION_ANNOTATION } from "@capstan/manager";
import { isPrototypeVersion } from "@capstan/plan";
import { table } from "../render/table.ts";
import type { ImageOwner } from "./image-owner.ts";

/** A machine whose times are compared with those of others. */
export interface MeasuredMachine {
  readonly name: string;
  readonly nodeName: string | undefined;
  readonly createdMs: number;
  /** When its Node was Ready for the first time; NaN if that is not known. */
  readonly joinedMs: number;
  /** The version of the image it was created from, if that is known. */
  readonly version?: string;
}

/** The machines of a pool or a template by the image that they were created from. */
export interface MachinesByImage {
  readonly own: readonly MeasuredMachine[];
  readonly base: readonly MeasuredMachine[];
}

/** Divides machines of a pool into those from an image of the pool and those from the image in its spec. */
export function poolMachinesByImage(
  pool: Frozen<AzureMachinePool>,
  machines: readonly Frozen<AzureMachinePoolMachine>[],
): MachinesByImage {
  const { computeGallery, sharedGallery } = baseImageOf(pool) ?? {};
  const base = computeGallery?.version ?? sharedGallery?.version;
  const isOwn = ({ metadata }: Frozen<AzureMachinePoolMachine>): boolean => {
    const version = metadata.annotations?.[IMAGE_VERSION_ANNOTATION] ?? "";
    return version !== base && isPrototypeVersion(version);
  };
  const measured = (machine: Frozen<AzureMachinePoolMachine>): MeasuredMachine => ({
    ...measuredBy(machine, "BootstrapSucceeded"),
    ...(isOwn(machine) && { version: machine.metadata.annotations?.[IMAGE_VERSION_ANNOTATION] ?? "" }),
  });
  return {
    own: machines.filter(isOwn).map(measured),
    base: machines.filter((machine) => !isOwn(machine)).map(measured),
  };
}

/** The same for the Machines of a template, without donors, whose Nodes became healthy a second time. */
export function templateMachinesByImage(
  template: Frozen<AzureMachineTemplate>,
  machines: readonly Frozen<Machine>[],
  clones: readonly Frozen<AzureMachine>[],
): MachinesByImage {
  const base = template.spec.template.spec.image?.id;
  const images = new Map(clones.map((clone) => [controllerOf(clone)?.uid, clone.spec.image?.id]));
  const donors = donorsOf(template);
  const known = machines.filter(({ metadata }) => images.has(metadata.uid) && !donors.has(metadata.name));
  const isOwn = ({ metadata }: Frozen<Machine>): boolean => images.get(metadata.uid) !== base;
  const measured = (machine: Frozen<Machine>): MeasuredMachine => measuredBy(machine, "NodeHealthy");
  return {
    own: known.filter(isOwn).map(measured),
    base: known.filter((machine) => !isOwn(machine)).map(measured),
  };
}

function measuredBy(
  machine: Frozen<AzureMachinePoolMachine> | Frozen<Machine>,
  type: string,
): MeasuredMachine {
  const { metadata, status } = machine;
  const joined = getCondition(olderConditionsOf(machine), type);
  return {
    name: metadata.name,
    nodeName: status?.nodeRef?.name,
    createdMs: Date.parse(metadata.creationTimestamp ?? ""),
    joinedMs: joined?.status === "True" ? Date.parse(joined.lastTransitionTime) : Number.NaN,
  };
}

function donorsOf({ status }: ImageOwner): ReadonlySet<string | undefined> {
  const { donor, history = [] } = status?.nodePrototyping ?? {};
  return new Set([donor?.machine, ...history.map((one) => one.donor)]);
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
  owner: ImageOwner,
  machines: readonly MeasuredMachine[],
): readonly MeasuredMachine[] {
  const donors = donorsOf(owner);
  return machines
    .filter(({ name, nodeName }) => nodeName !== undefined && !donors.has(name))
    .sort((a, b) => b.createdMs - a.createdMs)
    .slice(0, MOST_MEASURED);
}

/** The pods on the Nodes that were measured. */
export type PodsByNode = ReadonlyMap<string, readonly Frozen<Pod>[]>;

/** How long machines took to a Ready Node, and their first pods to be Ready, by the image they were created from. */
export function benefitText(machines: MachinesByImage, pods: PodsByNode): string {
  const rows = groupsOf(machines).flatMap(([name, group]) => {
    const times = group.flatMap((machine) => secondsToNode(machine) ?? []);
    const starts = group.flatMap((machine) => podSeconds(machine, pods));
    return times.length === 0 ? [] : [[name, String(times.length), medianOf(times), medianOf(starts)]];
  });
  const head = ["MACHINES FROM", "COUNT", "NODE READY AFTER", "FIRST PODS READY AFTER"];
  // Without pods that were measured, the last column says nothing.
  const columns = rows.some((row) => row[3] !== NOTHING) ? 4 : 3;
  const shown = table(
    head.slice(0, columns),
    rows.map((row) => row.slice(0, columns)),
  );
  return rows.length === 0 ? "" : `${shown}\n${comparisonOf(machines)}\n`;
}

/** The machines of each version, the newest first, then those of the image in the spec. */
function groupsOf({
  own,
  base,
}: MachinesByImage): readonly (readonly [string, readonly MeasuredMachine[]])[] {
  const versions = [...new Set(own.map(({ version }) => version))].sort(compareVersions).toReversed();
  return [
    ...versions.map((version) => {
      const name = version === undefined ? "an image of a node" : `version ${version}`;
      return [name, own.filter((one) => one.version === version)] as const;
    }),
    ["the image in the spec", base] as const,
  ];
}

/** Versions are numbers with dots. */
function compareVersions(a = "", b = ""): number {
  return a.localeCompare(b, "en", { numeric: true });
}

// The median of fewer says little: one slow machine would decide it.
const LEAST_SAMPLES = 3;

/** What the numbers say together, or how many are missing for that. */
function comparisonOf({ own, base }: MachinesByImage): string {
  const [ours, theirs] = [own, base].map((some) => some.flatMap((one) => secondsToNode(one) ?? []));
  if (!ours || !theirs || Math.min(ours.length, theirs.length) < LEAST_SAMPLES)
    return `no comparison: it takes ${LEAST_SAMPLES} machines from images of a node (${ours?.length ?? 0} are known) and ${LEAST_SAMPLES} from the image in the spec (${theirs?.length ?? 0})`;
  const [after, before] = [medianIn(ours), medianIn(theirs)];
  const share = Math.round((100 * Math.abs(before - after)) / Math.max(1, before));
  const word = after <= before ? "sooner" : "later";
  return `machines from images of a node have a Ready Node ${share} % ${word}: after ${after} s, and ${before} s from the image in the spec`;
}

const NOTHING = "-";

function medianOf(seconds: readonly number[]): string {
  return seconds.length === 0 ? NOTHING : `${medianIn(seconds)} s`;
}

function medianIn(seconds: readonly number[]): number {
  return [...seconds].sort((a, b) => a - b)[Math.floor(seconds.length / 2)] ?? Number.NaN;
}

function secondsToNode({ createdMs, joinedMs }: MeasuredMachine): number | undefined {
  const seconds = (joinedMs - createdMs) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.round(seconds);
}

/** How long the first pods of a machine took, from the kubelet's start of them. */
function podSeconds({ nodeName = "", joinedMs }: MeasuredMachine, pods: PodsByNode): readonly number[] {
  const onNode = pods.get(nodeName) ?? [];
  return onNode.flatMap(({ status }) => {
    const startMs = Date.parse(status?.startTime ?? "");
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    const readyMs = ready?.status === "True" ? Date.parse(ready.lastTransitionTime ?? "") : Number.NaN;
    const isFirst = startMs < joinedMs + FIRST_PODS_MS;
    return isFirst && readyMs >= startMs ? [Math.round((readyMs - startMs) / 1000)] : [];
  });
}
