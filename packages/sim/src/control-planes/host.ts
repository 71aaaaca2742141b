import type { Transport } from "@capstan/env";

/** A logical cluster that is open. */
export interface HostedControlPlane {
  /** The way in for a trusted caller in this process. */
  readonly transport: Transport;
  /** The way in for everybody else. */
  readonly kubeconfig: string;
  /** What kubeadm pins; nobody checks it unless it is given. */
  readonly caCertHash?: string;
}

/** Where logical clusters are kept and served. */
export interface ControlPlaneHost {
  /** Opens a logical cluster, with what was kept of it; one that is open is given again. */
  add(name: string): Promise<HostedControlPlane>;
  /** Ends a logical cluster and removes all that was kept of it. */
  remove(name: string): Promise<void>;
  /** The logical clusters that are open. */
  names(): readonly string[];
}
