import type { AzureManagedMachinePool } from "@capstan/api";
import {
  azureManagedControlPlane,
  azureManagedMachinePool,
  machinePool,
} from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { agentPoolSpec } from "./agent-pool.ts";

function specOf(spec: Partial<AzureManagedMachinePool["spec"]>): Record<string, unknown> {
  return agentPoolSpec({
    pool: azureManagedMachinePool({ spec }),
    machinePool: machinePool({ spec: { replicas: 3 } }),
    controlPlane: azureManagedControlPlane(),
    subscriptionID: "s",
    tags: {},
    controlPlaneVersion: undefined,
  });
}

test("a pool without scaling switches the autoscaler off explicitly", () => {
  expect(specOf({})).toMatchObject({ count: 3, enableAutoScaling: false });
  const scaled = specOf({ scaling: { minSize: 2, maxSize: 5 } });
  expect(scaled).toMatchObject({ count: 3, enableAutoScaling: true, minCount: 2, maxCount: 5 });
});

test.each([
  ["netIpv4IPLocalPortRange", "netIpv4IpLocalPortRange"],
  ["netIpv4TCPFinTimeout", "netIpv4TcpFinTimeout"],
  ["netIpv4TCPKeepaliveProbes", "netIpv4TcpKeepaliveProbes"],
  ["netIpv4TCPKeepaliveTime", "netIpv4TcpKeepaliveTime"],
  ["netIpv4TCPMaxSynBacklog", "netIpv4TcpMaxSynBacklog"],
  ["netIpv4TCPMaxTwBuckets", "netIpv4TcpMaxTwBuckets"],
  ["netIpv4TCPTwReuse", "netIpv4TcpTwReuse"],
  ["netIpv4TCPkeepaliveIntvl", "netIpv4TcpkeepaliveIntvl"],
  ["netIpv4NeighDefaultGcThresh1", "netIpv4NeighDefaultGcThresh1"],
  ["netIpv4TcpFinTimeout", "netIpv4TcpFinTimeout"],
])("CAPZ's sysctl %s is %s for Azure Service Operator", (given, expected) => {
  const spec = specOf({ linuxOSConfig: { swapFileSizeMB: 100, sysctls: { [given]: 5 } } });
  expect(spec["linuxOSConfig"]).toEqual({ swapFileSizeMB: 100, sysctls: { [expected]: 5 } });
});
