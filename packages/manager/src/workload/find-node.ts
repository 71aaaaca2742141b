import { type Frozen, type Node } from "@capstan/api";

/** The result of looking for the Node of a machine. */
export type NodeLookup =
  | { readonly state: "found"; readonly node: Frozen<Node> }
  | { readonly state: "none" }
  /** Nodes claim the machine's provider id, but none of them runs on its VM. */
  | { readonly state: "impostor"; readonly message: string }
  /** Several Nodes could be the machine. */
  | { readonly state: "disputed"; readonly message: string }
  /** The workload cluster does not answer. */
  | { readonly state: "unknown"; readonly reason: string; readonly message: string };

/** The identity of a VM in Azure. */
interface VmIdentity {
  readonly computerName?: string | undefined;
  readonly vmID?: string | undefined;
  readonly createdMs?: number | undefined;
}

/** The machine whose Node is looked for. */
export interface NodeQuestion {
  readonly instance: VmIdentity | undefined;
  /** The UID of the Node that was found before. */
  readonly knownUID: string | undefined;
}

// The clocks of Kubernetes and Azure may differ.
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Finds the machine's Node among the Nodes with its provider id. A kubelet can write any id, so the instance must confirm
 * the Node: by its computer name or by the id of the VM, and the Node must not be older than the VM.
 */
export function findNode(candidates: readonly Frozen<Node>[], question: NodeQuestion): NodeLookup {
  if (candidates.length === 0) return { state: "none" };
  const confirmed = candidates.filter((node) => isConfirmed(node, question));
  const [node] = confirmed;
  if (node && confirmed.length === 1) return { state: "found", node };
  if (confirmed.length > 1) {
    return { state: "disputed", message: `${listed(confirmed)} both have the provider id of this machine` };
  }
  const message = `${listed(candidates)} has the provider id of this machine, but its name, system UUID and age do not match`;
  return { state: "impostor", message };
}

function listed(nodes: readonly Frozen<Node>[]): string {
  const names = nodes.map(({ metadata }) => `Node ${metadata.name}`).sort();
  return names.join(" and ");
}

function isConfirmed(node: Frozen<Node>, { instance, knownUID }: NodeQuestion): boolean {
  const { uid } = node.metadata;
  if (uid !== undefined && uid === knownUID) return true;
  return instance !== undefined && !isOlder(node, instance) && isBorneOut(node, instance);
}

/** A Node older than the VM belongs to an earlier VM with the same id. */
function isOlder({ metadata }: Frozen<Node>, instance: VmIdentity): boolean {
  const { createdMs } = instance;
  return (
    createdMs !== undefined && Date.parse(metadata.creationTimestamp ?? "") + CLOCKS_DIFFER_MS < createdMs
  );
}

function isBorneOut({ metadata, status }: Frozen<Node>, { computerName, vmID }: VmIdentity): boolean {
  if (computerName === undefined && vmID === undefined) return true;
  const isName = computerName?.toLowerCase() === metadata.name.toLowerCase();
  return isName || isSameMachine(vmID, status?.nodeInfo?.systemUUID);
}

/** Firmware of the first generation shows the first three groups of the id in the other byte order. */
function isSameMachine(vmID: string | undefined, systemUUID: string | undefined): boolean {
  if (vmID === undefined || systemUUID === undefined) return false;
  const [id, shown] = [vmID.toLowerCase(), systemUUID.toLowerCase()];
  return id === shown || swapped(id) === shown;
}

function swapped(uuid: string): string {
  return uuid
    .split("-")
    .map((group, index) => (index < 3 ? (group.match(/../g) ?? []).toReversed().join("") : group))
    .join("-");
}
