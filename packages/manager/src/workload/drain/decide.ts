import type { Frozen, MachineDrainRule, Node, Pod, PodVolume } from "@capstan/api";
import { isNodeUnreachable } from "../availability.ts";
import { ruleOf } from "./drain-rules.ts";

/** A Node and its pods at one moment. */
export interface DrainView {
  readonly node: Frozen<Node>;
  readonly pods: readonly Frozen<Pod>[];
  readonly nowMs: number;
  /** The MachineDrainRules of the machine, in their order. */
  readonly rules?: readonly Frozen<MachineDrainRule>[];
  /** The labels of namespaces, if a rule needs them. */
  readonly namespaces?: ReadonlyMap<string, Readonly<Record<string, string>> | undefined>;
  /** The UIDs of the DaemonSets of the cluster; unless given, every DaemonSet that a pod names counts as existing. */
  readonly daemonSets?: ReadonlySet<string>;
}

/** A pod, and the reason of its treatment. */
export interface JudgedPod {
  readonly pod: Frozen<Pod>;
  readonly why: string;
}

/** The treatment of the pods of a Node. */
export interface PodPlan {
  /** In the order of their eviction. */
  readonly evict: readonly JudgedPod[];
  /** Stopping, or not to be evicted: the Node is drained only when they are gone. */
  readonly wait: readonly JudgedPod[];
  /** To be evicted when the pods that come before them in the order of MachineDrainRules are gone. */
  readonly later: readonly JudgedPod[];
  /** They may stay. */
  readonly skip: readonly JudgedPod[];
}

/** A pod whose eviction the server refused. */
export interface DrainRefusal {
  readonly pod: Frozen<Pod>;
  readonly why: string;
  readonly retryAfterMs?: number;
}

/** The progress of the evictions. */
export interface DrainProgress {
  readonly plan: PodPlan;
  /** The pods whose eviction the server accepted in this pass; they are stopping now. */
  readonly evicted: readonly Frozen<Pod>[];
  /** The pods that no longer existed. */
  readonly gone: readonly Frozen<Pod>[];
  readonly refused: readonly DrainRefusal[];
  /** The drain timeout and its start; undefined means no limit. */
  readonly limit: DrainLimit | undefined;
  readonly nowMs: number;
}

export interface DrainLimit {
  readonly startedMs: number;
  readonly timeoutMs: number;
}

/** Whether a Node is drained, and otherwise what the drain waits for. */
export type DrainVerdict =
  | { readonly isOver: true; readonly reason: "Drained" | "DrainTimedOut"; readonly message: string }
  | {
      readonly isOver: false;
      readonly reason: "Draining" | "DrainBlocked";
      readonly message: string;
      readonly requeueAfterMs: number;
    };

const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";
// Cluster API's label: pods that the drain skips, and pods that it waits for without evicting them.
const DRAIN_LABEL = "cluster.x-k8s.io/drain";

// No kubelet stops pods on an unreachable machine; as in Cluster API, they count as gone one second after their grace period.
const UNREACHABLE_SLACK_MS = 1_000;
// An evicted pod is usually gone after some seconds.
const JUST_EVICTED_MS = 5_000;
const STOPPING_MS = 10_000;
// Cluster API's interval for refused evictions.
const BLOCKED_MS = 20_000;
// A pod that still exists so long after its grace period needs the attention of a user.
const OVERDUE_MS = 30_000;
const MOST_NAMED = 3;

/** Decides which pods of a Node are evicted, waited for and skipped. */
export function planPods(view: DrainView): PodPlan {
  const { node, pods, nowMs, rules = [], namespaces = new Map(), daemonSets } = view;
  const isUnreachable = isNodeUnreachable(node);
  const judged = [...pods].sort(inOrder).map((pod) => {
    const rule = ruleOf(rules, pod, namespaces);
    const order = rule?.spec.drain.order ?? 0;
    return { pod, order, ...judge(pod, { isUnreachable, nowMs, rule, daemonSets }) };
  });
  const firstOrder = Math.min(...judged.filter(isGoing).map(({ order }) => order));
  const those = (treatment: Treatment, isNow: (order: number) => boolean = () => true) =>
    judged
      .filter((one) => one.treatment === treatment && isNow(one.order))
      .map(({ pod, why }): JudgedPod => ({ pod, why }));
  return {
    evict: those("evict", (order) => order === firstOrder),
    later: those("evict", (order) => order > firstOrder),
    wait: those("wait"),
    skip: those("skip"),
  };
}

/** Whether a pod holds up those of a higher order: it is to be evicted, or is stopping. */
function isGoing({ treatment, pod }: { readonly treatment: Treatment; readonly pod: Frozen<Pod> }): boolean {
  return treatment === "evict" || (treatment === "wait" && pod.metadata.deletionTimestamp !== undefined);
}

type Treatment = "evict" | "wait" | "skip";

interface Circumstances {
  readonly isUnreachable: boolean;
  readonly nowMs: number;
  /** The MachineDrainRule for the pod. */
  readonly rule: Frozen<MachineDrainRule> | undefined;
  readonly daemonSets: DrainView["daemonSets"];
}

interface Rule {
  readonly treatment: Treatment;
  readonly why: string;
  readonly applies: (pod: Frozen<Pod>, circumstances: Circumstances) => boolean;
}

/** The first rule that applies decides. */
const RULES: readonly Rule[] = [
  { treatment: "skip", why: "it has finished", applies: hasFinished },
  {
    treatment: "skip",
    why: "the kubelet runs it from a file",
    applies: ({ metadata }) => metadata.annotations?.[MIRROR_ANNOTATION] !== undefined,
  },
  { treatment: "skip", why: "its DaemonSet would put it on the Node again", applies: isOfDaemonSet },
  {
    treatment: "skip",
    why: `its label ${DRAIN_LABEL} says so`,
    applies: (pod) => drainLabelOf(pod) === "skip",
  },
  {
    treatment: "skip",
    why: "a MachineDrainRule says so",
    applies: (pod, { rule }) => drainLabelOf(pod) === undefined && rule?.spec.drain.behavior === "Skip",
  },
  { treatment: "skip", why: "its Node does not answer, so no kubelet stops it", applies: isAbandoned },
  {
    treatment: "wait",
    why: "it is stopping",
    applies: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  },
  {
    treatment: "wait",
    why: `its label ${DRAIN_LABEL} lets it complete`,
    applies: (pod) => drainLabelOf(pod) === "wait-completed",
  },
  {
    treatment: "wait",
    why: "a MachineDrainRule lets it complete",
    applies: (_pod, { rule }) => rule?.spec.drain.behavior === "WaitCompleted",
  },
  { treatment: "evict", why: "its local data is deleted with it", applies: hasLocalData },
];

const OTHERWISE = { treatment: "evict", why: "it can run elsewhere" } as const;

function judge(pod: Frozen<Pod>, circumstances: Circumstances): Pick<Rule, "treatment" | "why"> {
  return RULES.find(({ applies }) => applies(pod, circumstances)) ?? OTHERWISE;
}

/** Whether a pod has completed or failed. */
export function hasFinished({ status }: Frozen<Pod>): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

function isOfDaemonSet(pod: Frozen<Pod>, { daemonSets }: Circumstances): boolean {
  const uid = daemonSetOf(pod);
  return uid !== undefined && (daemonSets === undefined || daemonSets.has(uid));
}

/** The UID of the DaemonSet that controls a pod; it may no longer exist. */
export function daemonSetOf({ metadata }: Frozen<Pod>): string | undefined {
  const owners = metadata.ownerReferences ?? [];
  return owners.find(({ kind, controller }) => kind === "DaemonSet" && controller === true)?.uid;
}

function drainLabelOf({ metadata }: Frozen<Pod>): string | undefined {
  return metadata.labels?.[DRAIN_LABEL]?.toLowerCase();
}

function isAbandoned({ metadata }: Frozen<Pod>, { isUnreachable, nowMs }: Circumstances): boolean {
  return isUnreachable && Date.parse(metadata.deletionTimestamp ?? "") + UNREACHABLE_SLACK_MS < nowMs;
}

function hasLocalData({ spec }: Frozen<Pod>): boolean {
  return spec?.volumes?.some(({ emptyDir }: Frozen<PodVolume>) => emptyDir !== undefined) ?? false;
}

/** Lowest priority first, so that pods on which others depend are evicted last; then by name, so that the order is stable. */
function inOrder(left: Frozen<Pod>, right: Frozen<Pod>): number {
  const priority = (left.spec?.priority ?? 0) - (right.spec?.priority ?? 0);
  if (priority !== 0) return priority;
  const [a, b] = [podName(left), podName(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Decides whether the drain is over, and otherwise what blocks it. */
export function judgeDrain(node: Frozen<Node>, progress: DrainProgress): DrainVerdict {
  const { plan, gone, refused, limit, nowMs } = progress;
  const { name } = node.metadata;
  const left = [...plan.evict, ...plan.wait, ...plan.later]
    .map(({ pod }) => pod)
    .filter((pod) => !gone.includes(pod));
  if (left.length === 0) return { isOver: true, reason: "Drained", message: `Node ${name} is drained` };
  const leftMs = limit === undefined ? Infinity : limit.startedMs + limit.timeoutMs - nowMs;
  if (limit !== undefined && leftMs <= 0) {
    const message = `Node ${name} was not drained within ${limit.timeoutMs / 1000} s and is deleted with ${named(left.map(podName), "pod")}`;
    return { isOver: true, reason: "DrainTimedOut", message };
  }
  const obstacles = obstaclesOf(progress);
  const reason = refused.length > 0 ? "DrainBlocked" : "Draining";
  const message = [`Draining Node ${name}`, ...obstacles].join("; ");
  return { isOver: false, reason, message, requeueAfterMs: Math.min(requeueAfterMs(progress), leftMs) };
}

/** Only lasting obstacles: a message that changes with every pod would cost a write each time. */
function obstaclesOf({ plan, refused, nowMs }: DrainProgress): readonly string[] {
  const blocked = byNewCause(refused)
    .slice(0, MOST_NAMED)
    .map(({ pod, why }) => `pod ${podName(pod)} is not evicted: ${why}`);
  const more = refused.length - blocked.length;
  const overdue = plan.wait.filter(({ pod }) => isOverdue(pod, nowMs)).map(({ pod }) => podName(pod));
  return [
    ...blocked,
    ...(more > 0 ? [`${more} more ${more === 1 ? "pod is" : "pods are"} not evicted`] : []),
    ...(overdue.length > 0 ? [`waiting for ${named(overdue, "pod")}`] : []),
    ...(plan.later.length > 0
      ? [
          `later ${named(
            plan.later.map(({ pod }) => podName(pod)),
            "pod",
          )}`,
        ]
      : []),
  ];
}

/** The first refusal of each cause, then the others: a budget that refuses many pods must not hide another cause. */
function byNewCause(refused: readonly DrainRefusal[]): readonly DrainRefusal[] {
  const firsts = new Set(
    [...Map.groupBy(refused, ({ why }) => why).values()].flatMap((same) => same.slice(0, 1)),
  );
  return [...firsts, ...refused.filter((one) => !firsts.has(one))];
}

function isOverdue({ metadata: { deletionTimestamp } }: Frozen<Pod>, nowMs: number): boolean {
  return deletionTimestamp === undefined || Date.parse(deletionTimestamp) + OVERDUE_MS < nowMs;
}

function requeueAfterMs({ evicted, refused }: DrainProgress): number {
  if (evicted.length > 0) return JUST_EVICTED_MS;
  if (refused.length === 0) return STOPPING_MS;
  return Math.min(...refused.map(({ retryAfterMs = BLOCKED_MS }) => retryAfterMs), BLOCKED_MS);
}

/** The namespace and the name of a pod. */
export function podName({ metadata: { namespace = "", name } }: Frozen<Pod>): string {
  return `${namespace}/${name}`;
}

/** The first names of a list, and the number of the others. */
export function named(names: readonly string[], noun: string): string {
  const shown = names.slice(0, MOST_NAMED).join(", ");
  const more = names.length - MOST_NAMED;
  return `${noun}${names.length === 1 ? "" : "s"} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}
