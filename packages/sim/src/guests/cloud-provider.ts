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

/** What the cloud provider does about a Node. */
export type CloudVerdict =
  | { readonly do: "nothing" }
  | { readonly do: "delete" }
  | {
      readonly do: "initialize";
      readonly providerID: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly addresses: readonly NodeAddress[];
    };

/** Decides about a Node from its machine; that is undefined when there is none, and looked for only when it matters. */
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
      // A machine outside of all zones has its fault domain there, which is 0 in this cloud.
      "topology.kubernetes.io/zone": zone === undefined ? "0" : `${location}-${zone}`,
      "node.kubernetes.io/instance-type": machine.size,
    },
    addresses: [
      ...machine.privateAddresses.map((address) => ({ type: "InternalIP", address })),
      { type: "Hostname", address: node.metadata.name },
    ],
  };
}

/** The machine a Node says it is; undefined while nobody has said so in a way that can be read. */
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

/** Nodes that other people made by hand are none of the cloud provider's business. */
export function isOfAzure(node: Frozen<Node>): boolean {
  return isUninitialized(node) || providerIdOf(node) !== undefined;
}

function isUninitialized(node: Frozen<Node>): boolean {
  return node.spec?.taints?.some(({ key }) => key === CLOUD_UNINITIALIZED.key) ?? false;
}
