import { azureManagedControlPlane, cluster } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { managedClusterSpec } from "./managed-cluster.ts";

const ID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/publicIPPrefixes/p";

test.each([
  [undefined, undefined],
  [{ managedOutboundIPs: 2 }, { managedOutboundIPs: { count: 2 } }],
  [
    { outboundIPPrefixes: [ID] },
    { outboundIPPrefixes: { publicIPPrefixes: [{ reference: { armId: ID } }] } },
  ],
  [{ outboundIPs: [ID] }, { outboundIPs: { publicIPs: [{ reference: { armId: ID } }] } }],
  [
    { allocatedOutboundPorts: 0, idleTimeoutInMinutes: 4 },
    { allocatedOutboundPorts: 0, idleTimeoutInMinutes: 4 },
  ],
])(
  "the profile %j of the load balancer is %j for Azure Service Operator",
  (loadBalancerProfile, expected) => {
    const controlPlane = azureManagedControlPlane({
      spec: { ...(loadBalancerProfile && { loadBalancerProfile }) },
    });
    const spec = managedClusterSpec({ controlPlane, cluster: cluster(), pools: [], tags: {} });
    const profile = (spec["networkProfile"] ?? {}) as { readonly loadBalancerProfile?: unknown };
    expect(profile.loadBalancerProfile).toEqual(expected);
  },
);
