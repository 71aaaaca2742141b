import {
  AzureMachinePool,
  customKinds,
  type CustomResourceDefinition,
  type KubernetesObject,
  toConvertedDefinition,
} from "@capstan/api";
import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { takeOverProblems, type TakeOverView } from "./take-over.ts";

const EMPTY: TakeOverView = {
  kinds: customKinds,
  definitions: [],
  configurations: [],
  pools: [],
  operatorObjects: [],
};

const definition = (metadata: object, storedVersions = ["v1beta1"]): CustomResourceDefinition => {
  const { spec, ...rest } = toConvertedDefinition(AzureMachinePool);
  return {
    ...rest,
    metadata: { name: "azuremachinepools.infrastructure.cluster.x-k8s.io", ...metadata },
    spec,
    status: { storedVersions },
  };
};
const configuration = (name: string, group: string, labels = {}) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name, labels },
  webhooks: [{ rules: [{ apiGroups: [group] }] }],
});
const ours = { "app.kubernetes.io/managed-by": "capstan" };
const operatorObject = (kind: string): KubernetesObject => ({
  apiVersion: "network.azure.com/v1api20201101",
  kind: "VirtualNetwork",
  metadata: {
    name: "vnet",
    namespace: "default",
    ownerReferences: [
      { apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1", kind, name: "demo", uid: "1" },
    ],
  },
});
const made = azureMachinePool({ metadata: { name: "mp" }, spec: { providerID: "azure:///x" } });

test.each<[string, Partial<TakeOverView>, RegExp]>([
  [
    "webhook configurations of other providers",
    { configurations: [configuration("capz-validating", "infrastructure.cluster.x-k8s.io")] },
    /would refuse every write.*: ValidatingWebhookConfiguration capz-validating; delete them first/,
  ],
  [
    "a CRD into which cert-manager writes",
    { definitions: [definition({ annotations: { "cert-manager.io/inject-ca-from": "a/b" } })] },
    /cert-manager writes .*: CustomResourceDefinition azuremachinepools\S*; remove the annotation first/,
  ],
  [
    "objects in a version that we do not have",
    { definitions: [definition({}, ["v1alpha4", "v1beta1"])] },
    /azuremachinepools\S* \(v1alpha4\); migrate them/,
  ],
  [
    "objects of Azure Service Operator that an AzureCluster owns",
    { operatorObjects: [operatorObject("AzureCluster")] },
    /VirtualNetwork default\/vnet; when its CRDs .* Azure would lose the resources/,
  ],
  ["a pool that another provider has made", { pools: [made] }, /AzureMachinePool default\/mp; .*replace all/],
])("a take-over is refused because of %s, with the reason", (_, found, expected) => {
  const problems = takeOverProblems({ ...EMPTY, ...found });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(expected);
});

test.each<[string, Partial<TakeOverView>]>([
  ["an empty cluster", {}],
  ["our own webhooks", { configurations: [configuration("capstan", "cluster.x-k8s.io", ours)] }],
  ["webhooks of other kinds", { configurations: [configuration("istio", "networking.istio.io")] }],
  ["a CRD without cert-manager", { definitions: [definition({})] }],
  [
    "an object of the operator that AKS uses",
    { operatorObjects: [operatorObject("AzureManagedControlPlane")] },
  ],
  [
    "a pool of ours, or one that does not exist in Azure yet",
    {
      pools: [
        azureMachinePool({}),
        azureMachinePool({ spec: { providerID: "x" } }, { status: { modelHash: "v1-a" } }),
      ],
    },
  ],
])("%s is no obstacle to a take-over", (_, found) => {
  expect(takeOverProblems({ ...EMPTY, ...found })).toEqual([]);
});

test("many objects are counted", () => {
  const configurations = Array.from({ length: 8 }, (_, index) =>
    configuration(`c${index}`, "cluster.x-k8s.io"),
  );
  expect(takeOverProblems({ ...EMPTY, configurations })[0]).toContain(
    "ValidatingWebhookConfiguration c4 and 3 more;",
  );
});
