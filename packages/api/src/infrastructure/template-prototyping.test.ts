import { azureMachineTemplate } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { AzureMachineTemplate } from "./azure-machine-template.ts";
import { templatePrototypingOf } from "./template-prototyping.ts";

const computeGallery = { gallery: "g", name: "n", version: "1.0.0" };

/** A template with more fields of its machines. */
function template(more: object, annotations: Record<string, string> = {}): AzureMachineTemplate {
  const built = azureMachineTemplate({ metadata: { annotations } });
  const { spec } = built.spec.template;
  return {
    ...built,
    spec: { ...built.spec, template: { spec: { ...spec, ...more } } },
  };
}

const older = template({ image: { computeGallery, nodePrototyping: { interval: "2h" } } });

test("a template has the field of pools as an alias, with a warning that names its own field", () => {
  expect(templatePrototypingOf(older)?.interval).toBe("2h");
  expect(AzureMachineTemplate.warn({ object: older })).toEqual([
    expect.stringContaining("use spec.template.spec.nodeCachingMode") as string,
  ]);
  expect(AzureMachineTemplate.validate({ object: older })).toEqual([]);
});

test("the alias can be added to a template and taken away, and the image cannot change with it", () => {
  const without = template({ image: { computeGallery } });
  const other = template({ image: { computeGallery: { ...computeGallery, version: "2.0.0" } } });
  expect(AzureMachineTemplate.validate({ object: older, old: without })).toEqual([]);
  expect(AzureMachineTemplate.validate({ object: without, old: older })).toEqual([]);
  expect(AzureMachineTemplate.validate({ object: other, old: older })).toHaveLength(1);
});

test("an empty annotation asks for one day", () => {
  const annotated = template({ image: { computeGallery } }, { nodeCachingInterval: "" });
  expect(templatePrototypingOf(annotated)?.interval).toBe("24h");
  expect(AzureMachineTemplate.warn({ object: annotated })).toEqual([]);
});
