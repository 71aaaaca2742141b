import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AzureManagedControlPlane,
  type Frozen,
  inStoredVersion,
  type JsonObject,
  type KubernetesObject,
  parseYaml,
} from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { aksPlanner } from "./aks-planner.ts";
import { checkedDump } from "../read/checked-dump.ts";
import { sortObjects } from "../read/given-objects.ts";
import { isDump } from "../read/is-dump.ts";
import { managementWith, NO_TRANSPORT } from "../management.fixture.ts";

const EXAMPLES = join(import.meta.dirname, "../../../../../examples/aks");

function manifests(
  change: (object: KubernetesObject & { spec: Record<string, unknown> }) => void = () => undefined,
) {
  return ["cluster.yaml", "pools.yaml"].flatMap((file) =>
    readFileSync(join(EXAMPLES, file), "utf8")
      .split(/^---$/m)
      .map((part) => {
        const given = parseYaml(part) as JsonObject;
        const object = (inStoredVersion(given)?.object ?? given) as unknown as KubernetesObject & {
          spec: Record<string, unknown>;
        };
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

  test("says that an upgrade replaces the nodes of pools, and how long that takes", () => {
    const agentPool = {
      ...stored,
      kind: "ManagedClustersAgentPool",
      metadata: { ...stored.metadata, name: "harbor-workers" },
      spec: { azureName: "workers", count: 2 },
      status: { currentOrchestratorVersion: "1.33.5" },
    } as unknown as KubernetesObject;
    const upgraded = manifests(({ kind, spec }) => {
      if (kind === "AzureManagedControlPlane") spec["version"] = "v1.34.1";
      if (kind !== "MachinePool") return;
      const template = spec["template"] as { spec: { version: string } };
      template.spec.version = "v1.34.1";
    });
    const { print, isDisruptive } = planned([...upgraded, stored, agentPool]);
    expect(print("text")).toMatch(/AKS drains and replaces 2 nodes, after the control plane\n {2}about 4m/);
    expect(isDisruptive).toBe(true);
    expect(planned([...manifests(), stored, agentPool]).isDisruptive).toBe(false);
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

  test("names fields that the manifests no longer set, unless another client has applied them, too", () => {
    const fields = { "f:supportPlan": {}, "f:metricsProfile": { "f:costAnalysis": { "f:enabled": {} } } };
    const applied = (manager: string, specFields: object) => ({
      manager,
      operation: "Apply",
      fieldsV1: { "f:spec": specFields },
    });
    const managedFields = [
      applied("capstan", fields),
      applied("other", { "f:metricsProfile": fields["f:metricsProfile"] }),
    ];
    const observed = {
      ...stored,
      metadata: { ...stored.metadata, managedFields },
      spec: {
        supportPlan: "KubernetesOfficial",
        metricsProfile: { costAnalysis: { enabled: true } },
        fqdn: "azure's",
      },
    } as unknown as KubernetesObject;
    const text = planned([...manifests(), observed]).print("text");
    expect(text).toContain(
      'spec.supportPlan: "KubernetesOfficial" to unset (by spec or a patch that no longer sets it)',
    );
    expect(text).not.toContain("spec.metricsProfile");
    expect(text).not.toContain("spec.fqdn");
  });

  test("of a control plane that a server printed is a change, unless its Cluster is there, too", async () => {
    const [cluster, , controlPlane] = manifests();
    if (!cluster || !controlPlane) throw new Error("the example has changed");
    const client = await managementWith(...manifests(), stored);
    const patched = {
      ...(await client.get(AzureManagedControlPlane, { name: "harbor", namespace: "default" })),
    };
    const sorted = (...objects: readonly Frozen<KubernetesObject>[]) => sortObjects(objects, "default");
    expect(isDump(sorted(patched))).toBe(false);
    expect(isDump(sorted(patched, cluster))).toBe(true);
    expect(isDump(sorted(patched, stored))).toBe(true);
    const asoManagedClusterPatches = ["spec: {supportPlan: KubernetesOfficial}"];
    const given = sorted({
      ...patched,
      spec: { ...patched.spec, asoManagedClusterPatches },
    } as unknown as KubernetesObject);
    const change = { client, given, nowMs: 0, transport: NO_TRANSPORT };
    expect((await aksPlanner.forecast({} as never, change)).print("text")).toContain(
      'spec.supportPlan: unset to "KubernetesOfficial" (by spec.asoManagedClusterPatches[0])',
    );
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
