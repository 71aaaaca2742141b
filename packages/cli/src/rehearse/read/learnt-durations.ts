/** How long machines of a fleet took so far, from the times in its objects and events. Pure. */
import { isJsonObject } from "@capstan/api";
import { type Duration, RECORDED } from "@capstan/azure-sim";
import type { DurationModel } from "@capstan/sim";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { fieldOf, isKind, metadataOf, textOf } from "./owned-objects.ts";

/** A duration that a fleet may show, and where it goes in the model. */
interface Learner {
  readonly name: string;
  /** Seconds, one for each machine that shows it. */
  readonly samples: (fleet: Times) => readonly number[];
  readonly put: (model: Partial<DurationModel>, learnt: Duration) => Partial<DurationModel>;
}

/** What was learnt, and what comes from the table of the model. */
export interface LearntDurations {
  readonly model: DurationModel;
  /** A line for each learnt duration. */
  readonly lines: readonly string[];
}

interface Times {
  readonly objects: readonly GivenObject[];
  /** By kind, namespace and name. */
  readonly byName: ReadonlyMap<string, GivenObject>;
  /** When something happened to a machine: by its kind, namespace and name, and the reason of the event. */
  readonly events: ReadonlyMap<string, number>;
}

// Fewer machines may all have been slow ones, or fast ones.
const FEWEST_SAMPLES = 5;
// A condition that changed so long after the creation has another cause, such as a restart of the kubelet.
const LONGEST_SECONDS = 3600;
// The controllers of machines poll Azure every ten seconds.
const POLL_SECONDS = 5;
// Network interfaces go after their machine, with a poll of each.
const INTERFACES_SECONDS = 10;

const LEARNERS: readonly Learner[] = [
  {
    name: "boots",
    samples: (fleet) => [...bootsOfMachines(fleet), ...bootsOfPools(fleet)],
    put: (model, boot) => ({ ...model, boot }),
  },
  {
    name: "creations of virtual machines",
    samples: ({ objects }) =>
      objects
        .filter((one) => isKind(one, "AzureMachine"))
        .flatMap((one) => between(trueSince(one, "NetworkInterfacesReady"), trueSince(one, "VMRunning")))
        .map((seconds) => seconds - POLL_SECONDS),
    put: (model, learnt) => withLatency(model, "virtualMachine.create", learnt),
  },
  {
    name: "deletions of virtual machines",
    samples: (fleet) =>
      betweenEvents(fleet, "Machine", ["Drained", "NodeDeleted"]).map(
        (seconds) => seconds - POLL_SECONDS - INTERFACES_SECONDS,
      ),
    put: (model, learnt) => withLatency(model, "virtualMachine.delete", learnt),
  },
  {
    name: "deletions of instances",
    samples: (fleet) => betweenEvents(fleet, "AzureMachinePoolMachine", ["Drained", "NodeDeleted"]),
    put: (model, learnt) => withLatency(model, "instance.delete", learnt),
  },
  {
    name: "drains",
    // A Node without pods to evict says nothing about how long they take to stop.
    samples: (fleet) =>
      ["Machine", "AzureMachinePoolMachine"]
        .flatMap((kind) => betweenEvents(fleet, kind, ["Draining", "Drained"]))
        .filter((seconds) => seconds > 1),
    put: (model, { p50 }) => ({ ...model, pods: { ...model.pods, stopMs: Math.round(p50 * 1000) } }),
  },
];

function withLatency(model: Partial<DurationModel>, name: string, learnt: Duration): Partial<DurationModel> {
  return { ...model, latencies: { ...model.latencies, [name]: learnt } };
}

/** Learns durations from the objects of a dump, wherever at least five machines show one. */
export function learntDurations(objects: readonly GivenObject[]): LearntDurations {
  const fleet = timesOf(objects);
  let model: Partial<DurationModel> = {};
  const lines: string[] = [];
  for (const { name, samples, put } of LEARNERS) {
    const seconds = samples(fleet).filter((one) => one > 0 && one <= LONGEST_SECONDS);
    if (seconds.length < FEWEST_SAMPLES) continue;
    const learnt = percentilesOf(seconds);
    model = put(model, learnt);
    lines.push(`${name}: ${shown(learnt)}, from ${seconds.length} machines of this fleet`);
  }
  return { model: { ...model, source: sourceOf(lines.length) }, lines };
}

function sourceOf(learnt: number): string {
  const table = "the model's table of recorded Azure traffic";
  return learnt === 0
    ? `${table}; this fleet shows fewer than ${FEWEST_SAMPLES} of each`
    : `learnt from this fleet where at least ${FEWEST_SAMPLES} machines show them; the rest is ${table}`;
}

function shown({ p50, p90 }: Duration): string {
  return `half within ${p50} s, nine of ten within ${p90} s`;
}

// The 90th percentile of the standard normal distribution, and what makes a median deviation a standard deviation.
const Z90 = 1.2816;
const DEVIATION = 1.4826;

/** A log-normal through the samples. Medians keep the rare very slow operation of Azure from moving it: the model adds those itself. */
function percentilesOf(seconds: readonly number[]): Duration {
  const logs = seconds.map((one) => Math.log(one));
  const middle = median(logs);
  const sigma = DEVIATION * median(logs.map((one) => Math.abs(one - middle)));
  const rounded = (value: number): number => Math.max(1, Math.round(Math.exp(value)));
  return { p50: rounded(middle), p90: rounded(middle + Z90 * sigma) };
}

/** The mean of a log-normal. */
function meanOf({ p50, p90 }: Duration): number {
  const sigma = p50 > 0 ? Math.log(p90 / p50) / Z90 : 0;
  return p50 * Math.exp((sigma * sigma) / 2);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.floor(sorted.length / 2);
  const upper = sorted[at] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[at - 1] ?? upper)) / 2;
}

/** From the virtual machine to the Node; kubeadm does more on machines of a control plane. */
function bootsOfMachines({ objects, byName }: Times): readonly number[] {
  return objects
    .filter((one) => isKind(one, "Machine") && !isControlPlane(one))
    .flatMap((machine) => {
      const { namespace = "" } = machine.metadata;
      const name = textOf(machine, "spec", "infrastructureRef", "name") ?? "";
      const virtual = byName.get(keyOf("AzureMachine", namespace, name));
      const node = trueSince(machine, "NodeReady") ?? trueSince(machine, "NodeHealthy");
      return virtual ? between(trueSince(virtual, "VMRunning"), node) : [];
    });
}

function isControlPlane(machine: GivenObject): boolean {
  return fieldOf(machine, "metadata", "labels", "cluster.x-k8s.io/control-plane") !== undefined;
}

/**
 * A machine of a pool is created with its instance, which Azure takes a while to create: the mean of it, because the median of
 * two times together is more than their two medians.
 */
function bootsOfPools({ objects }: Times): readonly number[] {
  const created = meanOf(RECORDED["instance.create"] ?? { p50: 0, p90: 0 });
  return objects
    .filter((one) => isKind(one, "AzureMachinePoolMachine"))
    .flatMap((one) =>
      between(timeOf(metadataOf(one)["creationTimestamp"]), trueSince(one, "BootstrapSucceeded")),
    )
    .map((seconds) => seconds - created);
}

function betweenEvents(
  { events }: Times,
  kind: string,
  [first, second]: readonly [string, string],
): readonly number[] {
  return [...events].flatMap(([key, beganMs]) => {
    if (!key.startsWith(`${kind}/`) || !key.endsWith(` ${first}`)) return [];
    return between(beganMs, events.get(`${key.slice(0, -first.length)}${second}`));
  });
}

function between(fromMs: number | undefined, toMs: number | undefined): readonly number[] {
  return fromMs === undefined || toMs === undefined ? [] : [(toMs - fromMs) / 1000];
}

/** Since when a condition of either contract is True. */
function trueSince(object: GivenObject, type: string): number | undefined {
  const lists = [
    fieldOf(object, "status", "conditions"),
    fieldOf(object, "status", "deprecated", "v1beta1", "conditions"),
  ];
  const found = lists
    .flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []))
    .find((one) => isJsonObject(one) && one["type"] === type && one["status"] === "True");
  return timeOf(fieldOf(found, "lastTransitionTime"));
}

function timeOf(text: unknown): number | undefined {
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function timesOf(objects: readonly GivenObject[]): Times {
  const byName = new Map<string, GivenObject>();
  const events = new Map<string, number>();
  for (const object of objects) {
    const { name, namespace = "" } = object.metadata;
    if (object.kind === "Event") addEvent(events, object);
    else byName.set(keyOf(object.kind, namespace, name), object);
  }
  return { objects, byName, events };
}

/** A reason that was recorded several times began with the first. */
function addEvent(events: Map<string, number>, event: GivenObject): void {
  const { involvedObject, reason, firstTimestamp, eventTime } = event;
  const ms = timeOf(firstTimestamp) ?? timeOf(eventTime);
  if (!isJsonObject(involvedObject) || typeof reason !== "string" || ms === undefined) return;
  const { kind, namespace, name } = involvedObject;
  const key = `${keyOf(String(kind), String(namespace), String(name))} ${reason}`;
  events.set(key, Math.min(ms, events.get(key) ?? Infinity));
}

function keyOf(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}
