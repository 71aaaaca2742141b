import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { type Image, isGalleryImage, imageErrors } from "./image.ts";

const GALLERY = { gallery: "g", name: "n", version: "1.0.0" };
const MARKETPLACE = { publisher: "p", offer: "o", sku: "s", version: "latest" };
const GROUP = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg";
const GALLERY_ID = `${GROUP}/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0`;
const IMAGE_ID = `${GROUP}/providers/Microsoft.Compute/images/i`;
const shared = { ...GALLERY, subscriptionID: "s", resourceGroup: "r" };

describe("validateImage", () => {
  test.each<[string, Image]>([
    ["an id", { id: IMAGE_ID }],
    ["a marketplace image", { marketplace: MARKETPLACE }],
    ["a community gallery image", { computeGallery: GALLERY }],
    ["a private gallery image", { computeGallery: { ...GALLERY, subscriptionID: "s", resourceGroup: "r" } }],
    ["a shared gallery image", { sharedGallery: shared }],
  ])("accepts %s", (_, image) => {
    expect(imageErrors("spec.image", image)).toEqual([]);
  });

  test.each<[Image, string]>([
    [{}, "spec.image: Required value: set exactly one of id, marketplace, sharedGallery and computeGallery"],
    [
      { marketplace: MARKETPLACE, computeGallery: GALLERY },
      "spec.image.computeGallery: Forbidden: marketplace is set as well; set exactly one of id, marketplace, sharedGallery and computeGallery",
    ],
    [{ id: "" }, 'spec.image.id: Invalid value: "": must be the ARM id of an image'],
    [
      { computeGallery: { ...GALLERY, subscriptionID: "s" } },
      "spec.image.computeGallery.resourceGroup: Required value: a private gallery needs subscriptionID and resourceGroup",
    ],
    [
      { computeGallery: { ...GALLERY, resourceGroup: "r" } },
      "spec.image.computeGallery.subscriptionID: Required value: a private gallery needs subscriptionID and resourceGroup",
    ],
  ])("rejects %j", (image, message) => {
    expect(imageErrors("spec.image", image).map(formatFieldError)).toEqual([message]);
  });
});

describe("isGalleryImage", () => {
  test.each<[Image, boolean]>([
    [{ computeGallery: GALLERY }, true],
    [{ sharedGallery: shared }, true],
    [{ id: GALLERY_ID }, true],
    [{ id: GALLERY_ID.toUpperCase() }, true],
    [{ id: IMAGE_ID }, false],
    [{ id: "/CommunityGalleries/x/Images/y" }, false],
    [{ marketplace: MARKETPLACE }, false],
    [{}, false],
  ])("%j: %s", (image, expected) => {
    expect(isGalleryImage(image)).toBe(expected);
  });
});
