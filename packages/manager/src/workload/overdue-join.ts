// The time that Cluster API's health checks give a machine to start. Nine of ten machines need two minutes.
const JOIN_WITHIN_MS = 10 * 60_000;

/** The reason of a machine whose VM runs for ten minutes without a Node. */
export const NODE_NOT_JOINED = "NodeNotJoined";

/** How long a VM that runs since then may still take to become a Node; 0 when it is overdue. */
export function joinLeftMs(sinceMs: number, nowMs: number): number {
  return Math.min(JOIN_WITHIN_MS, Math.max(0, sinceMs + JOIN_WITHIN_MS - nowMs));
}

/** What is known about a machine that is overdue, and where a user finds out more. */
export function overdueMessage(vm: string, cause: string): string {
  return [
    `VM ${vm} has run for 10 minutes, and no Node has joined: ${cause}`,
    "read /var/log/cloud-init-output.log on the VM, or its serial log",
    "in the simulator, kubectl get events --field-selector involvedObject.kind=VirtualMachine",
  ].join("; ");
}
