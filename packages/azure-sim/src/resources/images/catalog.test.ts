import { expect, test } from "vitest";
import { ImageCatalog } from "./catalog.ts";
import { exactName, type Image } from "./image.ts";

const gallery = (version: string, change: Partial<Image> = {}): Image => ({
  kind: "gallery",
  definition: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/g/images/i",
  version,
  ...change,
});
const catalog = new ImageCatalog([
  gallery("1.10.0"),
  gallery("1.9.0"),
  gallery("2.0.0", { excludeFromLatest: true, regions: ["eastus"] }),
]);
const { definition } = gallery("1.0.0");

test("a reference without a version resolves to the newest one that is not excluded", () => {
  expect(exactName(catalog.resolve({ id: definition.toUpperCase() }, "westus"))).toContain(
    "/Versions/1.10.0",
  );
  expect(catalog.resolve({ id: `${definition}/versions/latest` }, "westus").version).toBe("1.10.0");
  expect(catalog.resolve({ id: `${definition}/versions/1.9.0` }, "westus").version).toBe("1.9.0");
});

test("refuses an image that does not exist, or not in the region", () => {
  expect(() => catalog.resolve({ id: `${definition}/versions/3.0.0` }, "westus")).toThrow(
    "GalleryImageNotFound",
  );
  expect(() => catalog.resolve({ id: `${definition}/versions/2.0.0` }, "westus")).toThrow(
    "not available in westus",
  );
  expect(() => catalog.resolve({ id: "/subscriptions/s/images/none" }, "westus")).toThrow("ImageNotFound");
  expect(() => catalog.resolve({}, "westus")).toThrow("imageReference");
});
