import { type KubernetesObject } from "@capstan/api";
import {
  azureMachine,
  azureMachinePool,
  azureMachineTemplate,
  machine,
} from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { managementWith } from "../plan/management.fixture.ts";
import { benefitText, templateMachinesByImage } from "./benefit.ts";
import { findImageOwner } from "./image-owner.ts";
import { listText, statusText } from "./prototype-text.ts";

const IMAGE = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/p/images/workers-1";
const image = { computeGallery: { gallery: "g", name: "i", version: "1.33.5" } };
const template = azureMachineTemplate({
  metadata: {
    name: "workers",
    annotations: { nodeCachingInterval: "24h", "capstan.dev/prototype-image": IMAGE },
  },
  spec: { template: { spec: { image } } },
  status: {
    lastImagePrototype: "2026-01-01T00:00:00Z",
    nodePrototyping: {
      phase: "Idle",
      bootImage: { id: IMAGE, base: "b" },
      donor: { mode: "Restart", machine: "donor" },
      history: [
        {
          id: `${IMAGE}/versions/1.2.3`,
          version: "1.2.3",
          createdAt: "2026-01-01T00:00:00Z",
          state: "Active",
        },
      ],
    },
  },
});
const place = { namespace: "default", isWritten: false };

async function found(given: string, ...objects: readonly KubernetesObject[]): Promise<string> {
  const { kind, metadata } = await findImageOwner(await managementWith(...objects), given, place);
  return `${kind} ${metadata.name}`;
}

test.each(["workers", "azuremachinetemplate/workers", "amt/workers", "default/workers"])(
  "a template is found as %s",
  async (given) => {
    expect(await found(given, template)).toBe("AzureMachineTemplate workers");
  },
);

test("a name of a pool and of a template needs its kind", async () => {
  const pool = azureMachinePool({ metadata: { name: "workers" } });
  await expect(found("workers", template, pool)).rejects.toThrow(
    "workers is the name of a pool and of an AzureMachineTemplate; choose one: amp/workers or azuremachinetemplate/workers",
  );
  expect(await found("amp/workers", template, pool)).toBe("AzureMachinePool workers");
  expect(await found("amt/workers", template, pool)).toBe("AzureMachineTemplate workers");
});

test("an unknown template is refused with the names that exist", async () => {
  await expect(found("amt/other", template)).rejects.toThrow(
    'there is no AzureMachineTemplate "other" in namespace default; existing: workers',
  );
});

test("a template is listed and shown as pools are", () => {
  expect(listText([template], 200).replaceAll(/ +/g, " ")).toContain(
    "default azuremachinetemplate/workers 24h Idle 1.2.3 2026-01-01T00:00:00Z",
  );
  const text = statusText(template, { next: "soon", benefit: "", nowMs: 0, columns: Infinity });
  expect(text).toMatch(/^template +default\/workers\n/);
  expect(text).toMatch(/new nodes +p\/images\/workers-1\n/);
});

test("the machines of a template are compared by the image of their AzureMachine, without donors", () => {
  const names = ["donor", "old", "new"];
  const machines = names.map((name, index) =>
    machine({
      metadata: { name, uid: name, creationTimestamp: "2026-01-01T00:00:00Z" },
      status: {
        nodeRef: { name },
        deprecated: {
          v1beta1: {
            conditions: [
              { type: "NodeHealthy", status: "True", lastTransitionTime: `2026-01-01T00:0${index + 1}:00Z` },
            ],
          },
        },
      },
    }),
  );
  const clones = names.map((name) =>
    azureMachine({
      metadata: {
        name,
        ownerReferences: [
          { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "Machine", name, uid: name, controller: true },
        ],
      },
      spec: { image: name === "new" ? { id: IMAGE } : image },
    }),
  );
  const text = benefitText(templateMachinesByImage(template, machines, clones), new Map());
  expect(text).toMatch(/an image of a node +1 +180 s/);
  expect(text).toMatch(/the image in the spec +1 +120 s/);
});
