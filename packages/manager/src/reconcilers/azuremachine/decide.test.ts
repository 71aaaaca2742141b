import { describe, expect, test } from "vitest";
import { addressesOf, decideMachine, type ObservedMachine, zoneIn } from "./decide.ts";

const OWNER = { clusterName: "c1", clusterKey: "default/c1" };
const TAGS = { "sigs.k8s.io_cluster-api-provider-azure_cluster_c1": "owned" };
const resource = (provisioningState: string, tags: object = TAGS) => ({
  tags,
  properties: { provisioningState },
});
const nic = (body: object | undefined, name = "vm-nic") => ({ id: `/x/${name}`, body: body as never });
const BASE: ObservedMachine = {
  owner: OWNER,
  wasCreated: false,
  machineID: "/x/vm",
  machine: undefined,
  interfaces: [nic(resource("Succeeded"))],
};

describe("the next step of a machine", () => {
  test.each<[string, Partial<ObservedMachine>, object]>([
    [
      "without an interface it creates one",
      { interfaces: [nic(undefined)] },
      { do: "putInterface", isNew: true },
    ],
    [
      "it creates the second interface after the first",
      { interfaces: [nic(resource("Succeeded")), nic(undefined, "vm-nic-1")] },
      { do: "putInterface", index: 1 },
    ],
    [
      "a failed interface is written again",
      { interfaces: [nic(resource("Failed"))] },
      { do: "putInterface", isNew: false },
    ],
    [
      "an interface that Azure updates is awaited",
      { interfaces: [nic(resource("Updating"))] },
      { do: "wait", condition: "NetworkInterfacesReady" },
    ],
    [
      "an interface of another owner is refused",
      { interfaces: [nic(resource("Succeeded", {}))] },
      { do: "refuse" },
    ],
    ["with ready interfaces it creates the machine", {}, { do: "putMachine" }],
    [
      "a machine that Azure creates is awaited",
      { machine: resource("Creating") },
      { do: "wait", condition: "VMRunning" },
    ],
    [
      "a machine that exists is published",
      { machine: resource("Succeeded") },
      { do: "publish", state: "Succeeded" },
    ],
    [
      "a failed machine is published as such",
      { machine: resource("Failed") },
      { do: "publish", state: "Failed" },
    ],
    [
      "a machine of another owner is refused",
      { machine: resource("Succeeded", { a: "b" }) },
      { do: "refuse" },
    ],
    ["a machine that is gone is never created again", { wasCreated: true, interfaces: [] }, { do: "lost" }],
  ])("%s", (_name, observed, expected) => {
    const decision = decideMachine({ ...BASE, ...observed });
    expect(decision).toMatchObject(expected);
    expect(decision.why).not.toBe("");
  });
});

test("addresses are the name and every private address, whatever else Azure sends", () => {
  const body = {
    properties: {
      ipConfigurations: [{ properties: { privateIPAddress: "10.1.0.4" } }, 7, { properties: null }, {}],
    },
  };
  expect(addressesOf("vm", [body, {}, { properties: { ipConfigurations: "no list" } }])).toEqual([
    { type: "InternalDNS", address: "vm" },
    { type: "InternalIP", address: "10.1.0.4" },
  ]);
});

test.each([
  [{ zones: ["2"] }, "2"],
  [{ zones: ["1", "2"] }, "1"],
  [{ zones: [] }, undefined],
  [{ zones: [""] }, undefined],
  [{ zones: [2] }, undefined],
  [{ zones: ["z".repeat(300)] }, undefined],
  [{ zones: "1" }, undefined],
  [{}, undefined],
])("the zone of a virtual machine with %j is %s", (body, zone) => {
  expect(zoneIn(body)).toBe(zone);
});
