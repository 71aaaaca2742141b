import type { Frozen, Node } from "@capstan/api";
import { DEFAULT_SUBSCRIPTION, type Machine } from "@capstan/azure-sim";
import { describe, expect, test } from "vitest";
import { decideNode } from "./cloud-provider.ts";
import { CLOUD_UNINITIALIZED } from "./kubelet.ts";

const SET = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/RG/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
const MACHINE: Machine = {
  id: `${SET}/virtualMachines/3`,
  vmId: "v",
  starts: 1,
  computerName: "pool000003",
  size: "Standard_D2s_v3",
  location: "westus2",
  power: "running",
  privateAddresses: ["10.0.0.4", "10.0.0.5"],
};

function node(spec: NonNullable<Node["spec"]>, status: "True" | "False" | "Unknown"): Frozen<Node> {
  const conditions = [{ type: "Ready", status }];
  return { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec, status: { conditions } };
}

const FRESH = { taints: [CLOUD_UNINITIALIZED] };
const KNOWN = { providerID: `azure://${MACHINE.id}` };

describe("the cloud provider", () => {
  test.each([
    ["outside of all zones", undefined, "0"],
    ["in a zone", "2", "westus2-2"],
  ])("sets labels and addresses of a new node %s", (_, zone, label) => {
    const machine = { ...MACHINE, ...(zone !== undefined && { zone }) };
    expect(decideNode(node(FRESH, "False"), () => machine)).toEqual({
      do: "initialize",
      providerID: `azure://${SET.replace("RG", "rg")}/virtualMachines/3`,
      labels: {
        "topology.kubernetes.io/region": "westus2",
        "topology.kubernetes.io/zone": label,
        "node.kubernetes.io/instance-type": "Standard_D2s_v3",
      },
      addresses: [
        { type: "InternalIP", address: "10.0.0.4" },
        { type: "InternalIP", address: "10.0.0.5" },
        { type: "Hostname", address: "n" },
      ],
    });
  });

  test.each<[string, Frozen<Node>, Machine | undefined, string]>([
    ["leaves a node alone that it has named", node(KNOWN, "True"), MACHINE, "nothing"],
    ["leaves a silent node alone whose machine is there", node(KNOWN, "Unknown"), MACHINE, "nothing"],
    ["deletes a silent node whose machine is gone", node(KNOWN, "Unknown"), undefined, "delete"],
    ["believes a Ready node although its machine is gone", node(KNOWN, "True"), undefined, "nothing"],
    ["deletes a node whose machine went before it was named", node(FRESH, "False"), undefined, "delete"],
    ["ignores a node that a user created by hand", node({}, "Unknown"), undefined, "nothing"],
    [
      "leaves nodes of other clouds alone",
      node({ providerID: "aws:///a/i-1" }, "False"),
      undefined,
      "nothing",
    ],
  ])("%s", (_, given, machine, verdict) => {
    expect(decideNode(given, () => machine).do).toBe(verdict);
  });

  test("does not look up the machine of a Ready node: thousands of them change all the time", () => {
    const findMachine = (): never => {
      throw new Error("looked for the machine");
    };
    expect(decideNode(node(KNOWN, "True"), findMachine).do).toBe("nothing");
  });
});
