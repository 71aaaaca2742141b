import {
  ArmIdError,
  type Frozen,
  type Node,
  type NodeAddress,
  parseProviderId,
  formatProviderId,
  type ProviderId,
} from "@capstan/api";
import type { Machine } from "@capstan/azure-sim";
import { isReady } from "../readiness.ts";
import { CLOUD_UNINITIALIZED } from "./kubelet.ts";

/** What the cloud provider does with a Node. */
export type CloudVerdict =
  | { readonly do: "nothing" }
  | { readonly do: "delete" }
  | {
      readonly do: "initialize";
      readonly providerID: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly addresses: readonly NodeAddress[];
    };

/** Decides about a Node by its machine: undefined when it does not exist, and looked up only when needed. */
export function decideNode(node: Frozen<Node>, findMachine: () => Machine | undefined): CloudVerdict {
  if (isReady(node) && !isUninitialized(node)) return { do: "nothing" };
  const machine = findMachine();
  if (!machine) return isOfAzure(node) && !isReady(node) ? { do: "delete" } : { do: "nothing" };
  if (!isUninitialized(node)) return { do: "nothing" };
  const { location, zone } = machine;
  return {
    do: "initialize",
    // The cloud provider writes resource groups in lower case.
    providerID: formatProviderId(parseProviderId(`azure://${machine.id}`)),
    labels: {
      "topology.kubernetes.io/region": location,
      // For a machine outside zones the label has the fault domain, which is always 0 here.
      "topology.kubernetes.io/zone": zone === undefined ? "0" : `${location}-${zone}`,
      "node.kubernetes.io/instance-type": machine.size,
    },
    addresses: [
      ...machine.privateAddresses.map((address) => ({ type: "InternalIP", address })),
      { type: "Hostname", address: node.metadata.name },
    ],
  };
}

/** The provider id of a Node; undefined while it is unset or invalid. */
export function providerIdOf(node: Frozen<Node>): ProviderId | undefined {
  const text = node.spec?.providerID ?? "";
  if (text === "") return undefined;
  try {
    return parseProviderId(text);
  } catch (error) {
    if (error instanceof ArmIdError) return undefined;
    throw error;
  }
}

/** The cloud provider ignores Nodes that a user created by hand. */
export function isOfAzure(node: Frozen<Node>): boolean {
  return isUninitialized(node) || providerIdOf(node) !== undefined;
}

function isUninitialized(node: Frozen<Node>): boolean {
  return node.spec?.taints?.some(({ key }) => key === CLOUD_UNINITIALIZED.key) ?? false;
}
