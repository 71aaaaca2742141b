import type { Core, Machine } from "@capstan/azure-sim";
import type { EtcdCluster, EtcdHost } from "../etcd/etcd-cluster.ts";
import type { EtcdClusters } from "../etcd/etcd-clusters.ts";
import type { GuestState } from "./stages.ts";

/** What `kubeadm init` tells about the cluster that it starts. */
export interface ControlPlaneInit {
  /** The machine that starts it: another machine starts another cluster. */
  readonly origin: string;
  /** The certificate authority of the cluster, in PEM. */
  readonly authority: string;
}

/** Starts the API server of the Cluster at an endpoint. Rejects with a Failure when no Cluster has this endpoint. */
export type InitializeControlPlane = (endpoint: string, init: ControlPlaneInit) => Promise<void>;

/** A control plane from the point of view of one of its machines. */
export interface ControlPlaneSeat {
  readonly etcd: EtcdCluster;
  readonly host: EtcdHost;
  /** Starts the API server of a new cluster. */
  initialize(init: ControlPlaneInit): Promise<void>;
}

/** A guest as far as a control plane is concerned. */
export interface SeatedGuest {
  readonly machineId: string;
  readonly machine: Machine | undefined;
  readonly endpoint: string;
  readonly nodeName: string | undefined;
  readonly state: GuestState;
  readonly isControlPlane: boolean;
}

// The stages in which the kubelet runs static pods; while a machine joins, those that exist already.
const RUNNING: ReadonlySet<string> = new Set(["joining", "registered", "ready"]);

/** A guest as a machine of etcd. */
export function etcdHostOf(core: Core, guest: SeatedGuest): EtcdHost {
  const { machineId } = guest;
  const port = Number(guest.endpoint.split(":").at(-1));
  return {
    machineId,
    nodeName: guest.nodeName ?? "",
    address: guest.machine?.privateAddresses[0] ?? "",
    disk: () => core.disk(machineId),
    isRunning: () => RUNNING.has(guest.state.stage),
    isBalanced: () => core.balancedPorts(machineId).includes(port),
  };
}

/** Adds the machine of a guest to the etcd of its control plane, if it is a control plane. */
export function seatGuest(etcd: EtcdClusters, core: Core, guest: SeatedGuest): void {
  if (guest.isControlPlane) etcd.at(guest.endpoint).add(etcdHostOf(core, guest));
}
