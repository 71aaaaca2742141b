import type { Frozen, Machine, Node, Pod } from "@capstan/api";
import { isNodeReady } from "../../workload/availability.ts";
import { ETCD_MEMBER_HEALTHY, type EtcdView, type PartHealth } from "@capstan/plan";
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
export function partHealthOf(machine: Frozen<Machine>, observed: ObservedWorkload): readonly PartHealth[] {
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

type HealthAndWhy = Pick<PartHealth, "health" | "why">;

const HEALTHY: HealthAndWhy = { health: "healthy", why: "" };

/** Why nothing can be said about the parts of a machine. */
function generalProblem(
  { metadata }: Frozen<Machine>,
  node: Frozen<Node> | undefined,
  { unreachable }: ObservedWorkload,
): HealthAndWhy | undefined {
  if (metadata.deletionTimestamp !== undefined) return unhealthy("the machine is being deleted");
  if (unreachable !== undefined) return unknown(unreachable);
  if (!node) return unknown("the machine has no Node");
  const isLost = node.spec?.taints?.some(
    ({ key, effect }) => key === UNREACHABLE_TAINT && effect === "NoExecute",
  );
  return isLost ? unknown(`Node ${node.metadata.name} is unreachable`) : undefined;
}

function nodeHealth(node: Frozen<Node> | undefined): HealthAndWhy {
  if (node && isNodeReady(node)) return HEALTHY;
  return unhealthy(`Node ${node?.metadata.name ?? ""} is not Ready`);
}

function podHealth(name: string, pod: Frozen<Pod> | undefined): HealthAndWhy {
  if (!pod) return unhealthy(`pod ${name} does not exist`);
  const { phase, conditions = [] } = pod.status ?? {};
  const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  if (phase === "Running" && isReady) return HEALTHY;
  return unhealthy(`pod ${pod.metadata.name} is ${phase ?? "Pending"} and not Ready`);
}

function memberPart(etcd: EtcdView, nodeName: string): readonly PartHealth[] {
  const part = ETCD_MEMBER_HEALTHY;
  if (etcd.state === "external") return [];
  if (etcd.state === "unknown") return [{ part, ...unknown(etcd.why) }];
  const member = etcd.members.find(({ name }) => name === nodeName);
  if (!member) return [{ part, ...unhealthy(`etcd has no member ${nodeName}`) }];
  if (member.isLearner) return [{ part, ...unhealthy(`etcd member ${nodeName} is a learner`) }];
  if (member.hasAlarm) return [{ part, ...unhealthy(`etcd member ${nodeName} has an alarm`) }];
  return [{ part, ...HEALTHY }];
}

function unhealthy(why: string): HealthAndWhy {
  return { health: "unhealthy", why };
}

function unknown(why: string): HealthAndWhy {
  return { health: "unknown", why };
}
