import {
  azureManagedControlPlane,
  azureManagedMachinePool,
  machinePool,
} from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { agentPoolSpec } from "./agent-pool.ts";

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
  const pool = azureManagedMachinePool({
    spec: { linuxOSConfig: { swapFileSizeMB: 100, sysctls: { [given]: 5 } } },
  });
  const spec = agentPoolSpec({
    pool,
    machinePool: machinePool(),
    controlPlane: azureManagedControlPlane(),
    subscriptionID: "s",
    tags: {},
    controlPlaneVersion: undefined,
  });
  expect(spec["linuxOSConfig"]).toEqual({ swapFileSizeMB: 100, sysctls: { [expected]: 5 } });
});
