import type { Frozen, Machine, Node, Pod } from "@capstan/api";
import { isNodeReady as nodeIsReady } from "../../workload/availability.ts";
import { ETCD_MEMBER_HEALTHY, type EtcdView, type Health, type PartHealth } from "@capstan/plan";
import type { ObservedWorkload } from "./observe.ts";

/** The static pods of a control plane, and the condition of the Machine that reports on each; Cluster API's names. */
const PODS = [
  ["APIServerPodHealthy", "kube-apiserver"],
  ["ControllerManagerPodHealthy", "kube-controller-manager"],
  ["SchedulerPodHealthy", "kube-scheduler"],
  ["EtcdPodHealthy", "etcd"],
] as const;
const ETCD_POD = "EtcdPodHealthy";
/** The conditions that report on the static pods. */
export const POD_PARTS: readonly string[] = PODS.map(([part]) => part);
/** A pod can be ready on a Node without a network, so the Node counts, too. */
export const NODE_PART = "NodeReady";
const UNREACHABLE_TAINT = "node.kubernetes.io/unreachable";

/** The health of the parts of a machine, as far as the workload cluster tells. */
export function partsOf(machine: Frozen<Machine>, observed: ObservedWorkload): readonly PartHealth[] {
  const node = observed.nodes.get(machine.metadata.name);
  const isEtcdOurs = observed.etcd.state !== "external";
  const names = PODS.filter(([part]) => isEtcdOurs || part !== ETCD_POD);
  const general = generalProblem(machine, node, observed);
  if (general) {
    const parts: string[] = [NODE_PART, ...names.map(([part]) => part)];
    return [...parts, ...(isEtcdOurs ? [ETCD_MEMBER_HEALTHY] : [])].map((part) => ({ part, ...general }));
  }
  const nodeName = node?.metadata.name ?? "";
  return [
    { part: NODE_PART, ...nodeHealth(node) },
    ...names.map(([part, name]) => ({ part, ...podHealth(name, observed.pods.get(`${name}-${nodeName}`)) })),
    ...memberPart(observed.etcd, nodeName),
  ];
}

type Judged = Pick<PartHealth, "health" | "why">;

/** Why nothing can be said about the parts of a machine. */
function generalProblem(
  { metadata }: Frozen<Machine>,
  node: Frozen<Node> | undefined,
  { unreachable }: ObservedWorkload,
): Judged | undefined {
  if (metadata.deletionTimestamp !== undefined) return judged("unhealthy", "the machine is being deleted");
  if (unreachable !== undefined) return judged("unknown", unreachable);
  if (!node) return judged("unknown", "the machine has no Node");
  const isLost = node.spec?.taints?.some(
    ({ key, effect }) => key === UNREACHABLE_TAINT && effect === "NoExecute",
  );
  return isLost ? judged("unknown", `Node ${node.metadata.name} is unreachable`) : undefined;
}

function nodeHealth(node: Frozen<Node> | undefined): Judged {
  if (node && nodeIsReady(node)) return judged("healthy", "");
  return judged("unhealthy", `Node ${node?.metadata.name ?? ""} is not Ready`);
}

function podHealth(name: string, pod: Frozen<Pod> | undefined): Judged {
  if (!pod) return judged("unhealthy", `pod ${name} does not exist`);
  const { phase, conditions = [] } = pod.status ?? {};
  const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  if (phase === "Running" && isReady) return judged("healthy", "");
  return judged("unhealthy", `pod ${pod.metadata.name} is ${phase ?? "Pending"} and not Ready`);
}

/** Where nothing leads to etcd, its members are not judged, and do not hold up what needs no etcd. */
function memberPart(etcd: EtcdView, nodeName: string): readonly PartHealth[] {
  const part = ETCD_MEMBER_HEALTHY;
  if (etcd.state === "external" || etcd.state === "unsupported") return [];
  if (etcd.state === "unknown") return [{ part, ...judged("unknown", etcd.why) }];
  const member = etcd.members.find(({ name }) => name === nodeName);
  if (!member) return [{ part, ...judged("unhealthy", `etcd has no member ${nodeName}`) }];
  if (member.isLearner) return [{ part, ...judged("unhealthy", `etcd member ${nodeName} is a learner`) }];
  if (member.hasAlarm) return [{ part, ...judged("unhealthy", `etcd member ${nodeName} has an alarm`) }];
  return [{ part, ...judged("healthy", "") }];
}

function judged(health: Health, why: string): Judged {
  return { health, why };
}
