import { describe, expect, test } from "vitest";
import { withDefaults } from "../admission.ts";
import { formatFieldError } from "../values/field-error.ts";
import { AzureManagedMachinePool } from "./azure-managed-machine-pool.ts";

type Spec = AzureManagedMachinePool["spec"];

const pool = (spec: Partial<Spec> = {}): AzureManagedMachinePool => ({
  apiVersion: AzureManagedMachinePool.apiVersion,
  kind: AzureManagedMachinePool.kind,
  metadata: { name: "pool0", namespace: "default" },
  spec: { mode: "System", sku: "Standard_D2s_v3", osType: "Linux", ...spec },
});
const errors = (object: AzureManagedMachinePool, old?: AzureManagedMachinePool): string[] =>
  AzureManagedMachinePool.validate({ object, ...(old && { old }) }).map(formatFieldError);

const PREFIX =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg/providers/Microsoft.Network/publicIPPrefixes/p";

describe("a node pool", () => {
  test("is named after its object and labelled with its mode", () => {
    const { spec, metadata } = withDefaults(AzureManagedMachinePool, pool());
    expect(spec.name).toBe("pool0");
    expect(metadata.labels).toEqual({
      "azuremanagedmachinepool.infrastructure.cluster.x-k8s.io/agentpoolmode": "System",
    });
  });

  test("from CAPZ's template is accepted", () => {
    const object = pool({
      name: "pool0",
      availabilityZones: ["1", "2"],
      enableNodePublicIP: false,
      maxPods: 30,
    });
    expect(errors(object)).toEqual([]);
  });

  test.each<[Partial<Spec>, string]>([
    [{ scaleSetPriority: "Spot" }, "AKS refuses it for a pool of mode System"],
    [{ linuxOSConfig: { swapFileSizeMB: 1500 } }, "AKS wants spec.kubeletConfig.failSwapOn false"],
    [{ kubeletConfig: { imageGcHighThreshold: 70, imageGcLowThreshold: 80 } }, "AKS wants it below"],
  ])("a combination that AKS refuses is warned about: %j", (spec, warning) => {
    const warnings = (given: Partial<Spec>) => AzureManagedMachinePool.warn({ object: pool(given) });
    expect(warnings(spec)).toEqual([expect.stringContaining(warning)]);
    expect(warnings({})).toEqual([]);
  });

  test.each<[Partial<Spec>, string]>([
    [
      { name: "Pool-0" },
      'spec.name: Invalid value: "Pool-0": must be 1 to 12 lower-case letters or digits and start with a letter',
    ],
    [
      { osType: "Windows" },
      'spec.osType: Invalid value: "Windows": Windows nodes are not supported yet; use Linux',
    ],
    [{ maxPods: 251 }, "spec.maxPods: Invalid value: 251: must be between 10 and 250"],
    [
      { nodeLabels: { "kubernetes.azure.com/x": "y" } },
      'spec.nodeLabels: Invalid value: "kubernetes.azure.com/x": must not start with kubernetes.azure.com, which AKS reserves',
    ],
    [
      { nodePublicIPPrefixID: PREFIX },
      "spec.enableNodePublicIP: Invalid value: null: must be true when nodePublicIPPrefixID is set",
    ],
    [
      { nodePublicIPPrefixID: "/x", enableNodePublicIP: true },
      'spec.nodePublicIPPrefixID: Invalid value: "/x": must be the ARM id of a Microsoft.Network/publicIPPrefixes',
    ],
    [
      { additionalTags: { "a?": "b" } },
      'spec.additionalTags: Invalid value: "a?": the name of a tag has 1 to 512 characters, none of them < > % & \\ ? or /',
    ],
    [
      { scaling: { minSize: 3, maxSize: 2 } },
      "spec.scaling.minSize: Invalid value: 3: must not be greater than maxSize, 2",
    ],
    [
      { subnetName: "a/b" },
      `spec.subnetName: Invalid value: "a/b": must be 1 to 80 letters, digits, '-', '_' or '.', start with a letter, digit or '_' and not end with '-' or '.'`,
    ],
    [
      { asoManagedClustersAgentPoolPatches: ['[{"op":"remove","path":"/spec/owner"}]'] },
      "spec.asoManagedClustersAgentPoolPatches[0]: Forbidden: /spec/owner is not patchable: the controller sets it",
    ],
    [
      { asoManagedClustersAgentPoolPatches: ["spec: {a: 1}", "spec:\n  azureName: other\n"] },
      "spec.asoManagedClustersAgentPoolPatches[1]: Forbidden: /spec/azureName is not patchable: the controller sets it",
    ],
  ])("is rejected: %j", (spec, message) => {
    expect(errors(pool(spec))).toEqual([message]);
  });

  test("may name its zones in another order, and not other zones", () => {
    const zones = (...availabilityZones: string[]) => pool({ availabilityZones });
    expect(errors(zones("2", "1"), zones("1", "2"))).toEqual([]);
    expect(errors(zones("1", "3"), zones("1", "2"))).toHaveLength(1);
  });

  test("keeps what AKS cannot change", () => {
    expect(errors(pool({ mode: "User", scaling: { minSize: 1 } }), pool())).toEqual([]);
    expect(errors(pool({ sku: "Standard_D8s_v5" }), pool())).toEqual([
      'spec.sku: Forbidden: cannot change from "Standard_D2s_v3" to "Standard_D8s_v5": AKS cannot change it on a node pool; create a new pool and delete this one',
    ]);
  });
});
