import { describe, expect, test } from "vitest";
import { type LimitFacts, limitRefusalOf } from "./limits.ts";

function facts(differences: Partial<LimitFacts> = {}): LimitFacts {
  return {
    osDiskGB: 128,
    region: "westeurope",
    usages: [],
    hasGallery: false,
    hasDefinition: false,
    ...differences,
  };
}
const full = (name: string) => ({ usages: [{ name, used: 100, limit: 100 }] });

describe("no image is taken", () => {
  test.each<[string, Partial<LimitFacts>, string]>([
    ["of a disk of 2 TB", { osDiskGB: 2048 }, "has 2048 GB, and Azure takes images of less than 2048 GB"],
    ["without room for a gallery", full("Galleries"), "100 of at most 100 galleries"],
    ["without room for a definition", full("Gallery Image"), "100 of at most 100 image definitions"],
    ["without room for a version", full("GalleryImageVersions"), "100 of at most 100 image versions"],
    [
      "without room for a version in a gallery that exists",
      { ...full("galleryImageVersions"), hasGallery: true, hasDefinition: true },
      "in westeurope; delete some, or ask Azure for more",
    ],
  ])("%s", (_, differences, why) => {
    expect(limitRefusalOf(facts(differences))).toContain(why);
  });
});

describe("an image is taken", () => {
  test.each<[string, Partial<LimitFacts>]>([
    ["of a disk below 2 TB", { osDiskGB: 2047 }],
    ["of a disk whose size is not known", { osDiskGB: undefined }],
    ["with room", { usages: [{ name: "galleries", used: 99, limit: 100 }] }],
    ["into a gallery that exists", { ...full("galleries"), hasGallery: true }],
    ["into a definition that exists", { ...full("galleryImages"), hasGallery: true, hasDefinition: true }],
    ["when other quotas are used up", full("cores")],
  ])("%s", (_, differences) => {
    expect(limitRefusalOf(facts(differences))).toBeUndefined();
  });
});
