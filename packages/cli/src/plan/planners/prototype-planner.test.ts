import {
  AzureMachineTemplate,
  controllerReferenceTo,
  type Frozen,
  type KubernetesObject,
} from "@capstan/api";
import {
  azureMachineTemplate,
  kubeadmControlPlane,
  machine,
  machineDeployment,
  machineSet,
} from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { checkedDump } from "../read/checked-dump.ts";
import { sortObjects } from "../read/given-objects.ts";
import { prototypePlanner } from "./prototype-planner.ts";

const NOW_MS = Date.parse("2026-01-02T00:00:00Z");
const creationTimestamp = "2026-01-01T00:00:00Z";
const version = "v1.33.5";
const image = { computeGallery: { gallery: "g", name: "i", version: "1.33.5" } };
const infrastructureRef = {
  apiGroup: AzureMachineTemplate.group,
  kind: AzureMachineTemplate.kind,
  name: "workers",
};

const template = azureMachineTemplate({
  metadata: { name: "workers", uid: "t1", creationTimestamp, annotations: { nodeCachingInterval: "1h" } },
  spec: { template: { spec: { image } } },
});
const deployment = machineDeployment({
  metadata: { uid: "d1", creationTimestamp, generation: 1 },
  spec: { replicas: 2, template: { spec: { version, infrastructureRef } } },
  status: { observedGeneration: 1, replicas: 2, upToDateReplicas: 2 },
});
const set = machineSet({
  metadata: { uid: "s1", creationTimestamp, ownerReferences: [controllerReferenceTo(deployment)] },
  spec: { replicas: 2, template: { spec: { version, infrastructureRef } } },
});
const conditions = ["Ready", "NodeHealthy"].map((type) => ({
  type,
  status: "True" as const,
  lastTransitionTime: creationTimestamp,
}));
const machines = ["b", "a"].map((name, index) =>
  machine({
    metadata: {
      name,
      creationTimestamp: `2026-01-01T00:0${index}:00Z`,
      ownerReferences: [controllerReferenceTo(set)],
    },
    spec: { version, providerID: `azure:///${name}` },
    status: { nodeRef: { name }, deprecated: { v1beta1: { conditions } } },
  }),
);

function given(...objects: readonly Frozen<KubernetesObject>[]) {
  return sortObjects(objects, "default");
}

function planOf(...objects: readonly Frozen<KubernetesObject>[]) {
  expect(prototypePlanner.isFor(given(...objects))).toBe(true);
  return prototypePlanner.planDump(checkedDump(given(...objects)), NOW_MS);
}

test("a template whose renewal is due is planned with the oldest of its machines", () => {
  const { json, print, isDisruptive } = planOf(template, deployment, set, ...machines);
  expect(json.actions).toMatchObject([
    {
      controller: "templateprototype",
      object: { kind: "AzureMachineTemplate", name: "workers" },
      action: "StartPrototype",
      targets: ["b"],
    },
  ]);
  expect(print("text")).toContain("Image of AzureMachineTemplate default/workers\n  StartPrototype b\n");
  expect(isDisruptive).toBe(true);
});

test.each<[string, readonly KubernetesObject[], string, RegExp]>([
  [
    "while its MachineDeployment scales",
    [template, { ...deployment, spec: { ...deployment.spec, replicas: 3 } } as never],
    "MachinesChanging",
    /rolls or scales/,
  ],
  [
    "while a control plane uses it",
    [
      template,
      deployment,
      kubeadmControlPlane({ spec: { machineTemplate: { spec: { infrastructureRef } } } }),
    ],
    "SwitchedOff",
    /images are taken of workers only/,
  ],
  [
    "while a renewal runs",
    [{ ...template, status: { nodePrototyping: { phase: "Publishing" } } } as never, deployment],
    "Publishing",
    /in the step Publishing/,
  ],
])("a template waits %s, and says why", (_, objects, reason, why) => {
  const { json, isDisruptive, summary } = planOf(...objects, set, ...machines);
  expect(summary).toBe("nothing to do");
  expect(json.actions).toMatchObject([
    { action: "Wait", targets: ["workers"], detail: { reason }, why: expect.stringMatching(why) as string },
  ]);
  expect(isDisruptive).toBe(false);
});

test("a template alone is not planned: nothing tells which machines it has", () => {
  expect(prototypePlanner.isFor(given(template))).toBe(false);
});
