import { AzureCluster, withDefaults } from "@capstan/api";
import { Sensitive } from "@capstan/runtime";
import { azureCluster } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { cloudProviderConfig } from "./cloud-provider-config.ts";

const { spec } = withDefaults(
  AzureCluster,
  azureCluster({ metadata: { name: "demo" }, spec: { location: "westeurope", resourceGroup: "rg" } }),
);
const plan = {
  clusterName: "demo",
  namespace: "default",
  subscriptionID: "s",
  spec,
  apiServerPort: 6443,
  zones: [],
};
const login = { tenantID: "t", clientID: "c", clientSecret: new Sensitive("hush") };

test("the configuration says where the machines are and how they log in", () => {
  expect(cloudProviderConfig({ machines: {}, plan, login })).toEqual({
    cloud: "AzurePublicCloud",
    tenantId: "t",
    subscriptionId: "s",
    aadClientId: "c",
    aadClientSecret: "hush",
    useManagedIdentityExtension: false,
    resourceGroup: "rg",
    securityGroupName: "demo-node-nsg",
    securityGroupResourceGroup: "rg",
    location: "westeurope",
    vmType: "vmss",
    vnetName: "demo-vnet",
    vnetResourceGroup: "rg",
    subnetName: "demo-node-subnet",
    routeTableName: "demo-node-routetable",
    loadBalancerSku: "Standard",
    loadBalancerName: "",
    maximumLoadBalancerRuleCount: 250,
    useInstanceMetadata: true,
    enableVmssFlexNodes: true,
  });
});

test.each([
  ["SystemAssigned" as const, [], { useManagedIdentityExtension: true }],
  [
    "UserAssigned" as const,
    [{ providerID: "azure:///subscriptions/s/x" }],
    { useManagedIdentityExtension: true, userAssignedIdentityID: "/subscriptions/s/x" },
  ],
])("machines with a %s identity have no password", (identity, userAssignedIdentities, expected) => {
  const config = cloudProviderConfig({
    machines: { identity, userAssignedIdentities },
    plan,
    login,
  });
  expect(config).toMatchObject(expected);
  expect(JSON.stringify(config)).not.toMatch(/hush|aadClient/);
});

test("what the cluster overrides is taken over, quantities as numbers", () => {
  const cloudProviderConfigOverrides = {
    rateLimits: [
      { name: "defaultRateLimit" as const, config: { cloudProviderRateLimit: true } },
      { name: "virtualMachineRateLimit" as const, config: { cloudProviderRateLimitQPS: "500m" } },
    ],
    backOffs: { cloudProviderBackoff: true, cloudProviderBackoffExponent: "1500m" },
  };
  const overridden = { ...plan, spec: { ...spec, cloudProviderConfigOverrides } };
  expect(cloudProviderConfig({ machines: {}, plan: overridden, login })).toMatchObject({
    cloudProviderRateLimit: true,
    virtualMachineRateLimit: { cloudProviderRateLimitQPS: 0.5 },
    cloudProviderBackoff: true,
    cloudProviderBackoffExponent: 1.5,
  });
});
