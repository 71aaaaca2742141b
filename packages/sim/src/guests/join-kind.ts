import type { Machine } from "@capstan/azure-sim";
import type { Rng } from "@capstan/env";
import type { CloudConfig } from "./cloud-init.ts";
import type { GuestFailure } from "./failure.ts";
import type { ControlPlaneSeat } from "./control-plane-seat.ts";
import type { GuestCluster } from "./guest-clusters.ts";
import type { JoinVerdict } from "./join.ts";
import type { GuestDisk } from "./os-disk.ts";

/** What every request to become a Node says. */
export interface JoinTarget {
  /** Host and port of the API server. */
  readonly endpoint: string;
  /** The computer's own name unless given. */
  readonly nodeName?: string;
  /** Whether the machine becomes a control plane. */
  readonly isControlPlane?: boolean;
}

/** What one attempt to become a Node works with. */
interface JoinAttempt {
  /** The cluster to join. Throws a transient Failure while no API server answers at the endpoint. */
  readonly cluster: () => Pick<GuestCluster, "client" | "caCertHash">;
  /** The control plane at the endpoint, and this machine in it. */
  readonly seat: () => ControlPlaneSeat;
  readonly nodeName: string;
  /** The OS disk; undefined when the machine is gone. */
  readonly disk: () => GuestDisk | undefined;
  readonly nowMs: () => number;
}

/** A way in which a machine becomes a Node. */
export interface JoinKind<Request extends JoinTarget> {
  /** The command that does it, such as `kubeadm join`. */
  readonly command: string;
  /**
   * Finds the request in what the machine was provisioned with; undefined for a request of another kind. A machine without
   * custom data has no cloud-config. Throws a GuestFault when the request is invalid.
   */
  readonly recognize: (cloudConfig: CloudConfig | undefined, machine: Machine) => Request | undefined;
  /** Asks the cluster. Throws a Failure while the cluster does not answer; the guest then tries again. */
  readonly attempt: (request: Request, attempt: JoinAttempt) => Promise<JoinVerdict>;
  /** Writes what a join leaves on the disk. */
  readonly write: (
    disk: GuestDisk,
    request: Request,
    names: { readonly nodeName: string; readonly rng: Rng },
  ) => void;
  /** What the command says while the API server does not answer. */
  readonly unreachable: (request: Request, why: string) => GuestFailure;
}

/** A request with its implementation. */
export interface Join {
  readonly request: JoinTarget;
  readonly attempt: (attempt: JoinAttempt) => Promise<JoinVerdict>;
  readonly write: (disk: GuestDisk, names: { readonly nodeName: string; readonly rng: Rng }) => void;
  readonly unreachable: (why: string) => GuestFailure;
}

/** An entry of the table of joins: recognizes the requests of one kind. */
export interface JoinEntry {
  readonly command: string;
  readonly recognize: (cloudConfig: CloudConfig | undefined, machine: Machine) => Join | undefined;
}

/** Turns a kind of join into an entry of the table. */
export function joinEntry<Request extends JoinTarget>(kind: JoinKind<Request>): JoinEntry {
  return {
    command: kind.command,
    recognize: (cloudConfig, machine) => {
      const request = kind.recognize(cloudConfig, machine);
      return (
        request && {
          request,
          attempt: (attempt) => kind.attempt(request, attempt),
          write: (disk, names) => kind.write(disk, request, names),
          unreachable: (why) => kind.unreachable(request, why),
        }
      );
    },
  };
}
