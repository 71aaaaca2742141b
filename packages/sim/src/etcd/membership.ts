import { createHash } from "node:crypto";

/** A member of an etcd cluster, as `member list` shows it. An unstarted member has no name and no client URL. */
export interface EtcdMember {
  /** A uint64 in decimal. */
  readonly id: string;
  readonly name: string;
  readonly peerURL: string;
  readonly clientURL: string;
  /** A learner has no vote; it is promoted when it has caught up. */
  readonly isLearner: boolean;
}

/** The members of an etcd cluster after a number of changes. */
export interface Membership {
  /** A uint64 in decimal. */
  readonly clusterId: string;
  readonly revision: number;
  readonly members: readonly EtcdMember[];
  /** etcd runs elsewhere: the members only stand for the machines that use it. */
  readonly isExternal?: boolean;
}

/** The codes of gRPC that etcd answers with. */
export const GRPC = { notFound: 5, failedPrecondition: 9, unavailable: 14 } as const;

/** A refusal in etcd's words. */
export class EtcdRefusal extends Error {
  override readonly name = "EtcdRefusal";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The membership of a cluster that its first member starts. */
export function bootstrapped(
  origin: string,
  first: Pick<EtcdMember, "name" | "peerURL">,
  { isExternal = false }: Pick<Membership, "isExternal"> = {},
): Membership {
  const clusterId = idOf(`cluster/${origin}`);
  const member = { ...first, id: idOf(`${clusterId}/${first.peerURL}/0`), isLearner: false };
  const members = [{ ...member, clientURL: clientURLOf(first.peerURL) }];
  return { clusterId, revision: 1, members, ...(isExternal && { isExternal }) };
}

/** Adds an unstarted learner. An unstarted member with the same peer URL is used again, as kubeadm does. */
export function withLearner(membership: Membership, peerURL: string): Membership {
  const { clusterId, revision, members } = membership;
  if (members.some((one) => one.peerURL === peerURL)) return membership;
  if (members.some(({ isLearner }) => isLearner))
    throw new EtcdRefusal(GRPC.failedPrecondition, "etcdserver: too many learner members in cluster");
  const id = idOf(`${clusterId}/${peerURL}/${revision}`);
  const learner = { id, name: "", peerURL, clientURL: "", isLearner: true };
  return { ...membership, revision: revision + 1, members: [...members, learner] };
}

/** Records that a member has started and published its name. */
export function withStarted(membership: Membership, id: string, name: string): Membership {
  return changed(membership, id, (one) => ({ ...one, name, clientURL: clientURLOf(one.peerURL) }));
}

/** Turns a started learner into a voter. */
export function withVoter(membership: Membership, id: string): Membership {
  return changed(membership, id, (one) => {
    if (one.name === "")
      throw new EtcdRefusal(
        GRPC.failedPrecondition,
        "etcdserver: can only promote a learner member which is in sync with leader",
      );
    return { ...one, isLearner: false };
  });
}

/** Removes a member, unless the started voters that stay would be fewer than a quorum of the rest. */
export function without(membership: Membership, id: string, isRunning: (id: string) => boolean): Membership {
  const { revision, members } = membership;
  const member = memberWith(membership, id);
  const rest = members.filter((one) => one !== member);
  const left = votersOf({ ...membership, members: rest });
  const running = left.filter((one) => isRunning(one.id)).length;
  if (!member.isLearner && isRunning(id) && running < quorumOf(left.length))
    throw new EtcdRefusal(GRPC.unavailable, "etcdserver: unhealthy cluster");
  return { ...membership, revision: revision + 1, members: rest };
}

/** The members with a vote. */
export function votersOf({ members }: Membership): readonly EtcdMember[] {
  return members.filter(({ isLearner }) => !isLearner);
}

/** How many voters must run for writes to succeed: an etcd elsewhere needs one machine that asks it. */
export function neededIn(membership: Membership): number {
  return membership.isExternal === true ? 1 : quorumOf(votersOf(membership).length);
}

/** How many voters must agree. */
function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/** The member with an id; etcd's refusal if there is none. */
export function memberWith({ members }: Membership, id: string): EtcdMember {
  const member = members.find((one) => one.id === id);
  if (!member) throw new EtcdRefusal(GRPC.notFound, "etcdserver: member not found");
  return member;
}

function changed(membership: Membership, id: string, change: (member: EtcdMember) => EtcdMember): Membership {
  const before = memberWith(membership, id);
  const { revision, members } = membership;
  return {
    ...membership,
    revision: revision + 1,
    members: members.map((one) => (one === before ? change(one) : one)),
  };
}

function clientURLOf(peerURL: string): string {
  return peerURL.replace(/:2380$/, ":2379");
}

/** Ids use all 64 bits, as etcd's do: a client that reads them as numbers loses digits. */
function idOf(text: string): string {
  return createHash("sha256").update(text).digest().readBigUInt64BE(0).toString();
}
