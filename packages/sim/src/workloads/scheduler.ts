import { type Frozen, type Node, parseQuantity } from "@capstan/api";
import { matchesSelector, repellingTaint } from "./tolerations.ts";
import type { WorkloadPod } from "./workload-kinds.ts";

/** Amounts that pods request and nodes have: millicores, bytes, and a number of pods. */
export interface Amounts {
  readonly cpu: number;
  readonly memory: number;
  readonly pods: number;
}

/** The node for a pod, or why there is none. */
export type Choice =
  | { readonly node: string; readonly why: string }
  | { readonly node: undefined; readonly why: string };

const NOTHING: Amounts = { cpu: 0, memory: 0, pods: 0 };
// The kubelet's default.
const DEFAULT_PODS = 110;

/**
 * Picks the node for a pod: of those that fit, the one with the fewest pods, then by name. Otherwise returns why not, in
 * kube-scheduler's words, which users search for.
 */
export function choose(
  pod: Frozen<WorkloadPod>,
  nodes: readonly Frozen<Node>[],
  usedOn: (node: string) => Amounts,
): Choice {
  if (nodes.length === 0) return { node: undefined, why: "no nodes available to schedule pods" };
  const desired = amountsOf(pod);
  const obstacles = new Map<string, number>();
  let best: Place | undefined;
  for (const node of nodes) {
    const { name } = node.metadata;
    const used = usedOn(name);
    const why = obstaclesOn(node, { pod, desired, used });
    for (const one of why) obstacles.set(one, (obstacles.get(one) ?? 0) + 1);
    if (why.length === 0 && (!best || isBetter({ name, pods: used.pods }, best)))
      best = { name, pods: used.pods };
  }
  if (best) return { node: best.name, why: `fewest pods of the nodes that fit: ${best.pods}` };
  const counted = [...obstacles].map(([why, count]) => `${count} ${why}`).sort();
  return { node: undefined, why: `0/${nodes.length} nodes are available: ${counted.join(", ")}.` };
}

interface Place {
  readonly name: string;
  readonly pods: number;
}

function isBetter(a: Place, b: Place): boolean {
  return a.pods < b.pods || (a.pods === b.pods && a.name < b.name);
}

interface Candidate {
  readonly pod: Frozen<WorkloadPod>;
  readonly desired: Amounts;
  readonly used: Amounts;
}

function obstaclesOn(node: Frozen<Node>, { pod, desired, used }: Candidate): string[] {
  if (node.spec?.unschedulable) return ["node(s) were unschedulable"];
  const taint = repellingTaint(node, pod.spec?.tolerations);
  if (taint) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`];
  if (!matchesSelector(node, pod.spec?.nodeSelector))
    return ["node(s) didn't match Pod's node affinity/selector"];
  return shortages(roomOf(node), desired, used);
}

function shortages(room: Amounts, desired: Amounts, used: Amounts): string[] {
  return [
    ...(used.pods + 1 > room.pods ? ["Too many pods"] : []),
    ...(desired.cpu > 0 && used.cpu + desired.cpu > room.cpu ? ["Insufficient cpu"] : []),
    ...(desired.memory > 0 && used.memory + desired.memory > room.memory ? ["Insufficient memory"] : []),
  ];
}

/** The resources that a pod takes on its node. */
export function amountsOf(pod: Frozen<WorkloadPod>): Amounts {
  const requests = (pod.spec?.containers ?? []).map(({ resources }) => resources?.requests ?? {});
  const sum = (name: string, unit: number): number =>
    requests.reduce((total, request) => total + amount(request[name], unit), 0);
  return { cpu: sum("cpu", 1000), memory: sum("memory", 1), pods: 1 };
}

// The nodes of a fleet are read for each scheduled pod, and change seldom.
const rooms = new WeakMap<Frozen<Node>, Amounts>();

function roomOf(node: Frozen<Node>): Amounts {
  const known = rooms.get(node);
  if (known) return known;
  const { allocatable = {} } = node.status ?? {};
  const room = {
    cpu: amount(allocatable["cpu"], 1000),
    memory: amount(allocatable["memory"], 1),
    pods: amount(allocatable["pods"] ?? DEFAULT_PODS, 1),
  };
  rooms.set(node, room);
  return room;
}

function amount(value: number | string | undefined, unit: number): number {
  return value === undefined ? 0 : (Number(parseQuantity(value).nano) / 1e9) * unit;
}

/** Counts the resources taken on each node; a pod counts as soon as it is bound, before the watch reports it. */
export class Usage {
  readonly #nodes = new Map<string, Amounts>();
  readonly #placed = new Map<string, { readonly node: string; readonly amounts: Amounts }>();

  /** The resources taken on the node. */
  on(node: string): Amounts {
    return this.#nodes.get(node) ?? NOTHING;
  }

  /** Whether the pod has been bound to a node. */
  has(uid: string): boolean {
    return this.#placed.has(uid);
  }

  /** Counts the pod on the node; a second call changes nothing. */
  place(uid: string, node: string, amounts: Amounts): void {
    if (this.#placed.get(uid)?.node === node) return;
    this.release(uid);
    this.#placed.set(uid, { node, amounts });
    this.#add(node, amounts, 1);
  }

  /** Releases the resources of the pod. */
  release(uid: string): void {
    const placed = this.#placed.get(uid);
    if (!placed) return;
    this.#placed.delete(uid);
    this.#add(placed.node, placed.amounts, -1);
  }

  #add(node: string, amounts: Amounts, sign: 1 | -1): void {
    const { cpu, memory, pods } = this.on(node);
    const sum = {
      cpu: cpu + sign * amounts.cpu,
      memory: memory + sign * amounts.memory,
      pods: pods + sign * amounts.pods,
    };
    if (sum.pods > 0) this.#nodes.set(node, sum);
    else this.#nodes.delete(node);
  }
}
