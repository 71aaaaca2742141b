import type { AzureMachinePool } from "@capstan/api";
import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { purchasePlan } from "./purchase-plan.ts";
import { scaleSetBody } from "../reconcilers/azuremachinepool/model/body.ts";

type Image = NonNullable<AzureMachinePool["spec"]["template"]["image"]>;

const MARKETPLACE = { publisher: "p", offer: "o", sku: "s", version: "1" };
const SHARED = { subscriptionID: "x", resourceGroup: "r", gallery: "g", name: "i", version: "1" };
const PLAN = { publisher: "p", offer: "o", sku: "s" };

test.each<[string, Image]>([
  ["a third party's image", { marketplace: { ...MARKETPLACE, thirdPartyImage: true } }],
  ["a plan in a gallery", { computeGallery: { gallery: "g", name: "i", version: "1", plan: PLAN } }],
  ["a plan in a gallery of the older form", { sharedGallery: { ...SHARED, ...PLAN } }],
])("%s is bought by its plan", (_, image) => {
  expect(purchasePlan(image)).toEqual({ name: "s", publisher: "p", product: "o" });
});

test.each<[string, Image | undefined]>([
  ["no image", undefined],
  ["an image by its id", { id: "/x" }],
  ["an image that is not for sale", { marketplace: { ...MARKETPLACE, thirdPartyImage: false } }],
  ["a gallery without a plan", { computeGallery: { gallery: "g", name: "i", version: "1" } }],
  ["half a plan", { sharedGallery: { ...SHARED, publisher: "p", sku: "s" } }],
])("%s has none", (_, image) => {
  expect(purchasePlan(image)).toBeUndefined();
});

test("the scale set names the plan beside its size", () => {
  const plan = { name: "s", publisher: "p", product: "o" };
  const model = { sku: "big", zones: [], identity: undefined, capabilities: undefined, profile: {}, plan };
  const body = scaleSetBody(azureMachinePool(), { model, capacity: 1, tags: {}, customData: "" });
  expect(body).toMatchObject({ plan, sku: { name: "big" } });
});
