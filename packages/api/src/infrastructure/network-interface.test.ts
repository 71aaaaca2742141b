import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { type NetworkFields, defaultNetworkInterfaces, networkInterfaceErrors } from "./network-interface.ts";

describe("defaultNetworkInterfaces", () => {
  test.each<[string, NetworkFields, NetworkFields]>([
    ["no interface becomes one interface", {}, { networkInterfaces: [{ privateIPConfigs: 1 }] }],
    [
      "deprecated fields move into an interface",
      { subnetName: "s", acceleratedNetworking: false },
      { networkInterfaces: [{ subnetName: "s", acceleratedNetworking: false, privateIPConfigs: 1 }] },
    ],
    [
      "interfaces get an address and keep those they have",
      { networkInterfaces: [{ subnetName: "a", privateIPConfigs: 0 }, { privateIPConfigs: 3 }] },
      { networkInterfaces: [{ subnetName: "a", privateIPConfigs: 1 }, { privateIPConfigs: 3 }] },
    ],
    [
      "deprecated fields that are applied again with their replacement are dropped",
      { subnetName: "s", networkInterfaces: [{ subnetName: "s", acceleratedNetworking: true }] },
      { networkInterfaces: [{ subnetName: "s", acceleratedNetworking: true, privateIPConfigs: 1 }] },
    ],
    [
      "a contradiction is left to validation",
      { acceleratedNetworking: true, networkInterfaces: [{ acceleratedNetworking: false }] },
      { acceleratedNetworking: true, networkInterfaces: [{ acceleratedNetworking: false }] },
    ],
    [
      "a mixture is left to validation",
      { subnetName: "s", networkInterfaces: [{}] },
      { subnetName: "s", networkInterfaces: [{}] },
    ],
  ])("%s", (_, machine, expected) => {
    defaultNetworkInterfaces(machine);
    expect(machine).toEqual(expected);
    defaultNetworkInterfaces(machine);
    expect(machine).toEqual(expected);
  });
});

describe("validateNetworkInterfaces", () => {
  test.each<[NetworkFields, string]>([
    [
      { subnetName: "s", networkInterfaces: [{}] },
      "spec.subnetName: Forbidden: networkInterfaces is set as well; put it there",
    ],
    [
      { acceleratedNetworking: true, networkInterfaces: [{}] },
      "spec.acceleratedNetworking: Forbidden: networkInterfaces is set as well; put it there",
    ],
    [
      { networkInterfaces: [{}, { privateIPConfigs: -1 }] },
      "spec.networkInterfaces[1].privateIPConfigs: Invalid value: -1: must be at least 1",
    ],
  ])("rejects %j", (machine, message) => {
    expect(networkInterfaceErrors("spec", machine).map(formatFieldError)).toEqual([message]);
  });
});
