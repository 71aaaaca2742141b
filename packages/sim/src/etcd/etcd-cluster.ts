import { isJsonObject } from "@capstan/api";
import type { GuestDisk } from "../guests/os-disk.ts";
import {
  bootstrapped,
  type EtcdMember,
  EtcdRefusal,
  GRPC,
  type Membership,
  memberWith,
  neededIn,
  votersOf,
  without,
  withLearner,
  withStarted,
  withVoter,
} from "./membership.ts";

/** One machine that runs, or will run, a member of etcd. */
export interface EtcdHost {
  readonly machineId: string;
  readonly nodeName: string;
  /** The address of the machine in its network. */
  readonly address: string;
  /** The OS disk, with the data of the member; undefined when the machine is gone. */
  disk(): GuestDisk | undefined;
  /** Whether the static pods of the machine run. */
  isRunning(): boolean;
  /** Whether the load balancer of the API server sends requests to the machine. */
  isBalanced(): boolean;
}

/** Where a member keeps its data. Every member has the whole list, as etcd replicates it. */
const DATA = "/var/lib/etcd/member/membership.json";

interface Replica {
  readonly host: EtcdHost;
  readonly memberId: string;
  readonly membership: Membership;
}

/**
 * The etcd of one control plane. Its data is on the disks of its machines: a change is written to the disks of all running
 * members and needs a quorum of them, and a machine that is deleted takes its copy along.
 */
export class EtcdCluster {
  readonly #hosts = new Map<string, EtcdHost>();
  readonly #changed: () => void;
  #leader: string | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  add(host: EtcdHost): void {
    this.#hosts.set(host.machineId, host);
    this.#changed();
  }

  remove(machineId: string): void {
    this.#hosts.delete(machineId);
    this.#changed();
  }

  /** A machine has started or stopped. */
  hostChanged(): void {
    this.#changed();
  }

  /** The newest list of members; undefined when no disk has one. */
  membership(): Membership | undefined {
    return newestOf(this.#replicas());
  }

  /** Whether so many voters run that writes succeed. */
  hasQuorum(): boolean {
    const membership = this.membership();
    return membership !== undefined && this.#runningVoters(membership).length >= neededIn(membership);
  }

  /** Whether clients of the API server get answers: a quorum of etcd, and a running member behind the load balancer. */
  isServing(): boolean {
    const membership = this.membership();
    if (!membership || !this.hasQuorum()) return false;
    return this.#runningVoters(membership).some(({ host }) => host.isBalanced());
  }

  /** The id of the leader; undefined without a quorum. A leader that stops is replaced by the oldest running voter. */
  leader(): string | undefined {
    const membership = this.membership();
    if (!membership || !this.hasQuorum()) return undefined;
    const running = this.#runningVoters(membership).map(({ memberId }) => memberId);
    if (this.#leader === undefined || !running.includes(this.#leader)) {
      const voters = votersOf(membership).map(({ id }) => id);
      this.#leader = voters.find((id) => running.includes(id));
    }
    return this.#leader;
  }

  /** The member on a machine, if it runs and was not removed. */
  memberOn(nodeName: string): EtcdMember | undefined {
    const membership = this.membership();
    const replica = this.#running().find(({ host }) => host.nodeName === nodeName);
    return membership?.members.find(({ id }) => id === replica?.memberId);
  }

  /** A file that the machines of the control plane have in common, such as a key, from the first disk that has it. */
  sharedFile(path: string): string | undefined {
    for (const host of this.#hosts.values()) {
      const content = host.disk()?.read(path);
      if (content !== undefined) return content;
    }
    return undefined;
  }

  /** Whether no machine is left: the data of the cluster is gone. */
  isAbandoned(): boolean {
    return this.#hosts.size === 0;
  }

  isMemberRunning(id: string): boolean {
    return this.#running().some(({ memberId }) => memberId === id);
  }

  /** Starts a new cluster with one member. Data of an earlier cluster on other disks is ignored from now on. */
  bootstrap(host: EtcdHost, kind: Pick<Membership, "isExternal"> = {}): void {
    const first = { name: host.nodeName, peerURL: peerURLOf(host) };
    const membership = bootstrapped(host.machineId, first, kind);
    for (const machineId of this.#hosts.keys())
      if (machineId !== host.machineId) this.#hosts.delete(machineId);
    this.#hosts.set(host.machineId, host);
    write(host, membership.members[0]?.id ?? "", membership);
    this.#changed();
  }

  /** Whether the disk of a machine has the data of a member. */
  hasData(host: EtcdHost): boolean {
    return replicaOn(host) !== undefined;
  }

  /**
   * The next step of a machine that joins, as `kubeadm join` takes it: an unstarted learner, a started one, a voter. Returns
   * whether it is a voter now.
   */
  joinStep(host: EtcdHost): boolean {
    const known = this.#require().members.find(({ peerURL }) => peerURL === peerURLOf(host));
    if (!known) {
      this.#change((membership) => withLearner(membership, peerURLOf(host)));
      return false;
    }
    if (known.name === "") {
      write(host, known.id, this.#require());
      this.#change((membership) => withStarted(membership, known.id, host.nodeName));
      return false;
    }
    if (known.isLearner) this.#change((membership) => withVoter(membership, known.id));
    return true;
  }

  removeMember(id: string): void {
    this.#change((membership) => without(membership, id, (one) => this.isMemberRunning(one)));
  }

  /** Hands the leadership over. Only the leader can do it. */
  moveLeader(from: string, to: string): void {
    if (this.leader() !== from) throw new EtcdRefusal(GRPC.failedPrecondition, "etcdserver: not leader");
    const target = this.#require().members.find(({ id }) => id === to);
    if (!target || target.isLearner || !this.isMemberRunning(to))
      throw new EtcdRefusal(GRPC.failedPrecondition, "etcdserver: bad leader transferee");
    this.#leader = to;
  }

  #change(change: (membership: Membership) => Membership): void {
    if (!this.hasQuorum()) throw new EtcdRefusal(GRPC.unavailable, "etcdserver: request timed out");
    const membership = change(this.#require());
    for (const { host, memberId } of this.#running()) write(host, memberId, membership);
    this.#changed();
  }

  #require(): Membership {
    const membership = this.membership();
    if (!membership) throw new EtcdRefusal(GRPC.unavailable, "etcdserver: no leader");
    return membership;
  }

  #replicas(): readonly Replica[] {
    const replicas = [...this.#hosts.values()].flatMap((host) => replicaOn(host) ?? []);
    const newest = newestOf(replicas);
    return replicas.filter(({ membership }) => membership.clusterId === newest?.clusterId);
  }

  #running(): readonly Replica[] {
    const replicas = this.#replicas();
    const newest = newestOf(replicas);
    return replicas.filter(
      ({ host, memberId }) => host.isRunning() && newest?.members.some(({ id }) => id === memberId),
    );
  }

  #runningVoters(membership: Membership): readonly Replica[] {
    return this.#running().filter(({ memberId }) => !memberWith(membership, memberId).isLearner);
  }
}

function newestOf(replicas: readonly Replica[]): Membership | undefined {
  const [first, ...rest] = replicas;
  if (!first) return undefined;
  return rest.reduce(
    (best, { membership }) => (membership.revision > best.revision ? membership : best),
    first.membership,
  );
}

function peerURLOf({ address }: EtcdHost): string {
  return `https://${address}:2380`;
}

function write(host: EtcdHost, memberId: string, membership: Membership): void {
  host.disk()?.write(DATA, JSON.stringify({ memberId, membership }));
}

function replicaOn(host: EtcdHost): Replica | undefined {
  const text = host.disk()?.read(DATA);
  const data: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isJsonObject(data)) return undefined;
  const { memberId, membership } = data as unknown as Omit<Replica, "host">;
  return { host, memberId, membership };
}

/** Whether a disk has the data of a member of etcd: its machine is a control plane. */
export function hasEtcdData(disk: Pick<GuestDisk, "read">): boolean {
  return disk.read(DATA) !== undefined;
}

/** Whether the machine of a disk runs etcd itself. */
export function hasLocalEtcd(disk: Pick<GuestDisk, "read">): boolean {
  const text = disk.read(DATA);
  const data: unknown = text === undefined ? undefined : JSON.parse(text);
  return isJsonObject(data) && (data as unknown as Omit<Replica, "host">).membership.isExternal !== true;
}
