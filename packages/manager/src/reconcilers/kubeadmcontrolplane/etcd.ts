import type { Frozen, Node } from "@capstan/api";
import { Failure, transient } from "@capstan/runtime";
import { etcdGateway } from "../../etcd/gateway.ts";
import type { Etcd } from "../../etcd/port.ts";
import type { EtcdView } from "@capstan/plan";
import { algorithmOf } from "./certificates.ts";
import type { KubeconfigFacts } from "../../workload/kubeconfig.ts";
import type { Scope } from "./scope.ts";

/** Reads the members of etcd through the first machine that answers. */
export async function observeEtcd(scope: Scope, nodes: ReadonlyMap<string, Frozen<Node>>): Promise<EtcdView> {
  const { controlPlane } = scope;
  if (controlPlane.spec.kubeadmConfigSpec?.clusterConfiguration?.etcd?.external) return { state: "external" };
  let why = "no machine of the control plane has a Node yet";
  for (const { metadata } of nodes.values()) {
    try {
      return await withEtcd(scope, metadata.name, membersOf);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      why = error.message;
    }
  }
  return { state: "unknown", why };
}

/** The members of etcd with their alarms, as one of them lists them. */
export async function membersOf(etcd: Etcd): Promise<EtcdView> {
  const { leader } = await etcd.status();
  const members = await etcd.members();
  const alarms = await etcd.alarms();
  // A list that does not have the leader is from another moment than the status.
  if (leader !== undefined && !members.some(({ id }) => id === leader))
    return { state: "unknown", why: "the leader of etcd is not among its members" };
  return {
    state: "known",
    leader,
    members: members.map((one) => ({ ...one, hasAlarm: alarms.has(one.id) })),
  };
}

/** Speaks to the member of etcd on a Node. */
export async function withEtcd<T>(
  scope: Scope,
  nodeName: string,
  use: (etcd: Etcd) => Promise<T>,
): Promise<T> {
  const { context, shared, controlPlane, authorities, cluster } = scope;
  const authority = authorities.get("etcd");
  if (!authority || !cluster)
    throw transient("EtcdUnreachable", "the certificates of etcd are not available");
  const algorithm = algorithmOf(controlPlane);
  const credential = await shared.etcdCredentials.of(controlPlane.metadata.uid ?? "", authority, algorithm);
  const { host = "", port = 0 } = cluster.spec.controlPlaneEndpoint ?? {};
  const endpoint = `${host}:${port}`.toLowerCase();
  const apiServer = async (): Promise<KubeconfigFacts> => (await shared.ports.workloads.get(cluster)).facts;
  const target = { endpoint, apiServer, nodeName, ...credential };
  const etcd = etcdGateway(shared.ports.connectEtcd(target), context.env);
  try {
    return await use(etcd);
  } finally {
    await etcd.close();
  }
}
