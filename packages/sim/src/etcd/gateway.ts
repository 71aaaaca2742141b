import { isJsonObject } from "@capstan/api";
import { type Handler, type HttpRequest, type HttpResponse, TransportError } from "@capstan/env";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { type EtcdMember, EtcdRefusal, GRPC, type Membership } from "./membership.ts";

/** The member that a request reaches, by the name of its Node. */
export interface GatewayTarget {
  readonly etcd: EtcdCluster;
  readonly nodeName: string;
}

// The status of HTTP for each code of gRPC, as grpc-gateway maps them.
const HTTP_STATUS: Readonly<Record<number, number>> = {
  [GRPC.notFound]: 404,
  [GRPC.failedPrecondition]: 400,
  [GRPC.unavailable]: 503,
};

/** Answers as the gRPC gateway of one member of etcd does. Refuses connections while the member does not run. */
export function etcdGateway({ etcd, nodeName }: GatewayTarget): Handler {
  return (request) => {
    const member = etcd.memberOn(nodeName);
    const membership = etcd.membership();
    if (!member || !membership)
      return Promise.reject(new TransportError("refused", `no etcd runs on ${nodeName}`));
    return Promise.resolve(answerOf({ etcd, member, membership }, request));
  };
}

function answerOf(scene: Scene, request: HttpRequest): HttpResponse {
  const { clusterId } = scene.membership;
  try {
    return answer(200, {
      header: { cluster_id: clusterId, member_id: scene.member.id, revision: "1", raft_term: "2" },
      ...resultOf(scene, request),
    });
  } catch (error) {
    if (!(error instanceof EtcdRefusal)) throw error;
    return answer(HTTP_STATUS[error.code] ?? 500, { code: error.code, message: error.message });
  }
}

interface Scene {
  readonly etcd: EtcdCluster;
  readonly member: EtcdMember;
  readonly membership: Membership;
}

type Body = Readonly<Record<string, unknown>>;

function resultOf(scene: Scene, { path, body: given }: HttpRequest): object {
  const { etcd, member, membership } = scene;
  const body: Body = isJsonObject(given) ? given : {};
  switch (path) {
    case "/v3/maintenance/status":
      return statusOf(scene);
    case "/v3/cluster/member/list":
      if (body["linearizable"] === true) requireQuorum(etcd);
      return { members: membership.members.map(listed) };
    case "/v3/cluster/member/remove":
      etcd.removeMember(String(body["ID"]));
      return { members: (etcd.membership()?.members ?? []).map(listed) };
    case "/v3/maintenance/alarm":
      requireQuorum(etcd);
      return {};
    case "/v3/maintenance/transfer-leadership":
      etcd.moveLeader(member.id, String(body["targetID"]));
      return {};
    default:
      throw new EtcdRefusal(GRPC.notFound, "Not Found");
  }
}

/** Status is local: it is answered without a quorum, too. Zero values are left out. */
function statusOf({ etcd, member }: Scene): object {
  const leader = etcd.leader();
  return {
    version: "3.6.5",
    dbSize: "4194304",
    ...(leader !== undefined && { leader }),
    raftTerm: "2",
    ...(member.isLearner && { isLearner: true }),
  };
}

function listed({ id, name, peerURL, clientURL, isLearner }: EtcdMember): object {
  return {
    ID: id,
    ...(name !== "" && { name }),
    peerURLs: [peerURL],
    ...(clientURL !== "" && { clientURLs: [clientURL] }),
    ...(isLearner && { isLearner }),
  };
}

function requireQuorum(etcd: EtcdCluster): void {
  if (!etcd.hasQuorum()) throw new EtcdRefusal(GRPC.unavailable, "etcdserver: request timed out");
}

function answer(status: number, body: object): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json" },
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(JSON.stringify(body)),
    async *lines() {
      yield body;
    },
  };
}
