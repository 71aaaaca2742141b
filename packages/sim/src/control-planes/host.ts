import type { Transport } from "@capstan/env";
import type { Gate } from "./gate.ts";

/** An open logical cluster. */
export interface HostedControlPlane {
  /** The transport for trusted callers in this process. */
  readonly transport: Transport;
  /** The kubeconfig for all other callers. */
  readonly kubeconfig: string;
  /** The hash that kubeadm pins; undefined turns the check off. */
  readonly caCertHash?: string;
}

/** Stores and serves logical clusters. */
export interface ControlPlaneHost {
  /**
   * Opens a logical cluster with its stored objects; returns it if it is open already. All ways into the cluster, those of
   * the answer too, lead through the gate.
   */
  add(name: string, gate: Gate): Promise<HostedControlPlane>;
  /** Closes a logical cluster and deletes its stored objects. */
  remove(name: string): Promise<void>;
  /** The open logical clusters. */
  names(): readonly string[];
}
