import type { Transport } from "@capstan/env";
import type { Sensitive } from "@capstan/runtime";
import type { KubeconfigFacts } from "../workload/kubeconfig.ts";

/** A member of etcd. An unstarted member has no name. */
export interface EtcdMember {
  /** A uint64 in decimal: as a number it would lose digits. */
  readonly id: string;
  readonly name: string;
  readonly isLearner: boolean;
}

/** What one member says about itself and its cluster. */
interface EtcdStatus {
  readonly memberId: string;
  /** The id of the leader; undefined while there is none. */
  readonly leader: string | undefined;
}

/** The ways to ask and change an etcd cluster through one of its members. Every call throws a Failure. */
export interface Etcd {
  status(): Promise<EtcdStatus>;
  /** The members that a quorum agrees on. */
  members(): Promise<readonly EtcdMember[]>;
  /** The ids of members with an alarm. */
  alarms(): Promise<ReadonlySet<string>>;
  removeMember(id: string): Promise<void>;
  /** Hands the leadership over; only the leader accepts it. */
  moveLeader(id: string): Promise<void>;
  close(): Promise<void>;
}

/** A member of etcd, and the credentials for it. */
export interface EtcdTarget {
  /** HOST:PORT of the API server, in lower case: the way to etcd leads through it. */
  readonly endpoint: string;
  /** The API server, as the current kubeconfig of the cluster names it. Throws a Failure while it does not answer. */
  readonly apiServer: () => Promise<KubeconfigFacts>;
  /** The name of the Node of the member; its serving certificate has this name. */
  readonly nodeName: string;
  /** The certificate authority of etcd, in PEM. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: Sensitive;
}

/** Opens a connection to the gRPC gateway of a member. */
export type ConnectToEtcd = (target: EtcdTarget) => Transport;
