import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Frozen, type KubernetesObject, parseYaml } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { aksPlanner } from "./aks-planner.ts";
import { checkedDump } from "./checked-dump.ts";
import { sortObjects } from "./given-objects.ts";
import { managementWith, NO_TRANSPORT } from "./management.fixture.ts";

const EXAMPLES = join(import.meta.dirname, "../../../../examples/aks");

function manifests(
  change: (object: KubernetesObject & { spec: Record<string, unknown> }) => void = () => undefined,
) {
  return ["cluster.yaml", "pools.yaml"].flatMap((file) =>
    readFileSync(join(EXAMPLES, file), "utf8")
      .split(/^---$/m)
      .map((part) => {
        const object = parseYaml(part) as KubernetesObject & { spec: Record<string, unknown> };
        change(object);
        return object;
      }),
  );
}

const stored = {
  apiVersion: "containerservice.azure.com/v1api20250801",
  kind: "ManagedCluster",
  metadata: {
    name: "harbor",
    namespace: "default",
    annotations: { "serviceoperator.azure.com/reconcile-policy": "manage" },
  },
  spec: { azureName: "harbor", location: "westeurope", dnsPrefix: "old", kubernetesVersion: "1.33.5" },
  status: { agentPoolProfiles: [], currentKubernetesVersion: "1.33.5" },
} as unknown as KubernetesObject;

function planned(objects: readonly Frozen<KubernetesObject>[]) {
  return aksPlanner.planDump(checkedDump(sortObjects(objects, "default")), 0);
}

describe("a plan of an AKS cluster", () => {
  test("without a server names each field, and the patch that sets it", () => {
    const text = planned([...manifests(), stored]).print("text");
    expect(text).toContain(
      "spec.workloadAutoScalerProfile.keda.enabled: unset to true (by spec.asoManagedClusterPatches[0])",
    );
    expect(text).toContain('spec.sku.tier: unset to "Free" (by spec)');
    expect(text).toContain(
      'spec.dnsPrefix: "old" to "harbor" (by spec, needs a new cluster: AKS cannot change it in place)',
    );
    expect(text).toContain(
      'spec.upgradeSettings.maxSurge: unset to "33%" (by spec.asoManagedClustersAgentPoolPatches[0])',
    );
  });

  test("has the whole object in the action", () => {
    const { json } = planned([...manifests(), stored]);
    expect(json.actions).toHaveLength(3);
    expect(json.actions[0]).toMatchObject({
      controller: "azuremanagedcontrolplane",
      action: "ApplyResource",
      targets: ["ManagedCluster/harbor"],
      detail: {
        desired: {
          apiVersion: "containerservice.azure.com/v1api20250801",
          spec: { kubernetesVersion: "1.33.5", workloadAutoScalerProfile: { keda: { enabled: true } } },
        },
      },
    });
  });

  test("says which patch cannot be applied, and that nothing is submitted", () => {
    const objects = manifests((object) => {
      if (object.kind === "AzureManagedControlPlane")
        object.spec["asoManagedClusterPatches"] = [
          "spec: {a: 1}",
          '[{"op": "test", "path": "/spec/a", "value": 2}]',
        ];
    });
    const { json, print } = planned([...objects, stored]);
    expect(json.blocked).toMatchObject([{ reason: "PatchFailed", targets: ["ManagedCluster/harbor"] }]);
    expect(print("text")).toContain("spec.asoManagedClusterPatches[1]: operation 0");
  });

  test("of manifests compares them with what the server has", async () => {
    const client = await managementWith(...manifests(), stored);
    const changed = manifests((object) => {
      if (object.kind === "AzureManagedControlPlane")
        object.spec["asoManagedClusterPatches"] = ["spec: {dnsPrefix: mine}"];
    });
    const given = sortObjects(changed as unknown as Parameters<typeof sortObjects>[0], "default");
    const shell = { env: createRealEnv() } as unknown as Parameters<typeof aksPlanner.forecast>[0];
    const report = await aksPlanner.forecast(shell, { client, transport: NO_TRANSPORT, given, nowMs: 0 });
    expect(report.print("markdown")).toContain(
      '- spec.dnsPrefix: "old" to "mine" (by spec.asoManagedClusterPatches[0], needs a new cluster: AKS cannot change it in place)',
    );
  });
});
