import { isJsonObject, type JsonObject } from "@capstan/api";
import { isOwned, type Owner } from "@capstan/plan";

/** What a pass has read from Azure; undefined stands for a resource that does not exist. */
export interface ObservedMachine {
  readonly owner: Owner;
  /** The virtual machine existed before: spec.providerID is set. */
  readonly wasCreated: boolean;
  readonly machineID: string;
  readonly machine: JsonObject | undefined;
  /** The network interfaces, read only while the virtual machine does not exist. */
  readonly interfaces: readonly { readonly id: string; readonly body: JsonObject | undefined }[];
}

/** The next step of a machine, and why. */
export type MachineDecision = { readonly why: string } & (
  | { readonly do: "putInterface"; readonly index: number; readonly isNew: boolean }
  | { readonly do: "putMachine" | "lost" }
  | { readonly do: "wait"; readonly condition: "NetworkInterfacesReady" | "VMRunning" }
  | { readonly do: "refuse" }
  /** The virtual machine exists. */
  | { readonly do: "publish"; readonly state: string }
);

/** Decides the next step towards a running virtual machine: network interfaces first, then the machine. */
export function decideMachine(observed: ObservedMachine): MachineDecision {
  const { machine, owner, wasCreated, machineID } = observed;
  if (machine) {
    if (!isOwned(machine, owner)) return foreign(machineID, owner);
    const state = provisioningStateOf(machine);
    if (state === "Creating" && !wasCreated)
      return { do: "wait", condition: "VMRunning", why: "Azure is creating the virtual machine" };
    return { do: "publish", state, why: `the virtual machine is ${state}` };
  }
  if (wasCreated) {
    return {
      do: "lost",
      why: "the virtual machine was deleted in Azure, not by its Machine; a machine is never recreated in place",
    };
  }
  return decideInterfaces(observed);
}

function decideInterfaces({ interfaces, owner }: ObservedMachine): MachineDecision {
  for (const [index, { id, body }] of interfaces.entries()) {
    const name = id.split("/").at(-1);
    if (!body) return { do: "putInterface", index, isNew: true, why: `${name} does not exist` };
    if (!isOwned(body, owner)) return foreign(id, owner);
    const state = provisioningStateOf(body);
    // Azure leaves an interface whose update failed unusable until it is written again.
    if (state === "Failed") return { do: "putInterface", index, isNew: false, why: `${name} is Failed` };
    if (state !== "Succeeded")
      return { do: "wait", condition: "NetworkInterfacesReady", why: `${name} is ${state}` };
  }
  return { do: "putMachine", why: "the network interfaces are ready" };
}

function foreign(id: string, { clusterName }: Owner): MachineDecision {
  return {
    do: "refuse",
    why: `${id} exists and does not have the tags of Cluster ${clusterName}; delete it, or give the machine another name`,
  };
}

/** The provisioning state of a resource; empty when it has none. */
export function provisioningStateOf({ properties }: JsonObject): string {
  const state = isJsonObject(properties) ? properties["provisioningState"] : undefined;
  return typeof state === "string" ? state : "";
}

// The longest name of a failure domain in Cluster API.
const LONGEST_ZONE = 256;

/** The zone that a virtual machine runs in; undefined outside zones. */
export function zoneIn({ zones }: JsonObject): string | undefined {
  const [zone] = Array.isArray(zones) ? (zones as readonly unknown[]) : [];
  return typeof zone === "string" && zone !== "" && zone.length <= LONGEST_ZONE ? zone : undefined;
}

/** An address of a machine, as Cluster API reports it. */
export interface MachineAddress {
  readonly type: string;
  readonly address: string;
}

// Far more than an interface of Azure has.
const MOST_ADDRESSES = 256;

/** The addresses of a machine: its name, then those of its network interfaces. */
export function addressesOf(name: string, interfaces: readonly JsonObject[]): MachineAddress[] {
  const internal = interfaces.flatMap(({ properties }) => {
    const list = isJsonObject(properties) ? properties["ipConfigurations"] : undefined;
    return (Array.isArray(list) ? (list as readonly unknown[]) : []).flatMap((one) => {
      const inner = isJsonObject(one) ? one["properties"] : undefined;
      const address = isJsonObject(inner) ? inner["privateIPAddress"] : undefined;
      return typeof address === "string" ? [{ type: "InternalIP", address }] : [];
    });
  });
  return [{ type: "InternalDNS", address: name }, ...internal].slice(0, MOST_ADDRESSES);
}
