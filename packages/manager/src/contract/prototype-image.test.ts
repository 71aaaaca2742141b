import { expect, test } from "vitest";
import { cloneTemplate } from "./clone-template.ts";
import type { ContractObject } from "./contract-object.ts";
import { withPrototypeImage } from "./prototype-image.ts";

const IMAGE = { computeGallery: { gallery: "g", name: "n", version: "1.0.0" } };
const ID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/prototypes_x/images/y";

function template(kind: string, annotations: Record<string, string>): ContractObject {
  return {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind,
    metadata: { name: "workers", namespace: "default", annotations },
    spec: {
      template: {
        spec: {
          image: { ...IMAGE, nodePrototyping: { interval: "24h" } },
          nodeCachingMode: { interval: "24h" },
        },
      },
    },
  };
}

const TAKEN = { "capstan.dev/prototype-image": ID, "capstan.dev/prototype-version": "v1.33.5" };

test.each([
  ["a template without an image of its own keeps the one in its spec", {}, "v1.33.5", { image: IMAGE }],
  ["the image is used for the Kubernetes version of its donor", TAKEN, "v1.33.5", { image: { id: ID } }],
  ["machines of another version boot from the image in the spec", TAKEN, "v1.34.1", { image: IMAGE }],
  ["machines without a version boot from the image in the spec", TAKEN, undefined, { image: IMAGE }],
])("%s, and the clone has no settings of the template", (_, annotations, version, spec) => {
  const source = template("AzureMachineTemplate", annotations);
  const clone = cloneTemplate(source, { name: "a", clusterName: "demo" });
  expect(withPrototypeImage(clone, source, version)).toMatchObject({ kind: "AzureMachine", spec });
  expect(withPrototypeImage(clone, source, version)).not.toHaveProperty("spec.nodeCachingMode");
  expect(withPrototypeImage(clone, source, version)).not.toHaveProperty("spec.image.nodePrototyping");
});

test("clones of other providers' templates stay as they are", () => {
  const source = template("VSphereMachineTemplate", TAKEN);
  const clone = cloneTemplate(source, { name: "a", clusterName: "demo" });
  expect(withPrototypeImage(clone, source, "v1.33.5")).toBe(clone);
});
