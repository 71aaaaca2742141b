import type { Machine } from "@capstan/azure-sim";
import { type CloudConfig, type GuestFile, readCustomData } from "./cloud-init.ts";
import { type GuestFailure, GuestFault } from "./failure.ts";
import { type Join, type JoinEntry, joinEntry } from "./join-kind.ts";
import { AKS_JOIN } from "./aks-join.ts";
import { KUBEADM_INIT } from "./kubeadm-init.ts";
import { KUBEADM_JOIN } from "./kubeadm-join.ts";

/** The ways in which machines become Nodes. The first entry that recognizes the request of a machine handles it. */
const JOIN_KINDS: readonly JoinEntry[] = [
  joinEntry(KUBEADM_INIT),
  joinEntry(KUBEADM_JOIN),
  joinEntry(AKS_JOIN),
];

/** What cloud-init does with a machine: the files it writes and how the machine joins, or why it fails. */
export type Provisioning =
  | { readonly files: readonly GuestFile[]; readonly join: Join }
  | { readonly failure: GuestFailure };

/** Reads what a machine was provisioned with. Invalid custom data gives a failure and does not throw. */
export function provisioningOf(machine: Machine): Provisioning {
  try {
    const hostname = machine.computerName.toLowerCase();
    const metadata = { hostname, instanceId: machine.vmId, region: machine.location };
    const cloudConfig = readCustomData(machine.customData, metadata);
    for (const { recognize } of JOIN_KINDS) {
      const join = recognize(cloudConfig, machine);
      if (join) return { files: cloudConfig?.files ?? [], join };
    }
    throw noJoin(cloudConfig);
  } catch (error) {
    if (!(error instanceof GuestFault)) throw error;
    return { failure: { reason: error.reason, message: error.message } };
  }
}

function noJoin(cloudConfig: CloudConfig | undefined): GuestFault {
  if (!cloudConfig) {
    return new GuestFault(
      "NoCustomData",
      "custom data is empty: nothing tells this machine to join a cluster",
    );
  }
  return new GuestFault(
    "NoJoin",
    `neither bootcmd nor runcmd has a ${JOIN_KINDS.map(({ command }) => command).join(" or ")} command`,
  );
}
