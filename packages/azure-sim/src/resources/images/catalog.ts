import { ArmError, invalidParameter } from "../../arm/errors.ts";
import { Table } from "../../core/table.ts";
import { type JsonObject, textAt } from "../../json.ts";
import { exactName, type Image } from "./image.ts";

/** An image that was published in this cloud. It is retired when its version is deleted while machines still have it. */
interface PublishedImage {
  readonly image: Image;
  readonly isRetired: boolean;
}

/** Finds images by the references of scale sets. */
export class ImageCatalog {
  /** The images that were published in this cloud, by exact name in lower case. */
  readonly table: Table<PublishedImage>;
  // Versions by the lower-cased definition, oldest first.
  readonly #versions = new Map<string, Image[]>();
  readonly #exact = new Map<string, Image>();

  constructor(images: readonly Image[], isStored = false) {
    this.table = new Table<PublishedImage>("image", isStored);
    for (const image of images) this.#add(image);
  }

  /** Publishes an image, or changes one. */
  publish(image: Image): void {
    this.table.set(nameOf(image), { image, isRetired: false });
    this.#add(image);
  }

  /** Removes an image from its definition. The files stay for the machines that were made from it. */
  retire(name: string): void {
    const known = this.table.get(name.toLowerCase());
    if (!known) return;
    this.#remove(known.image);
    this.table.set(nameOf(known.image), { ...known, isRetired: true });
  }

  /** Drops retired images that no machine has. */
  dropUnused(used: ReadonlySet<string>): void {
    for (const [name, { isRetired }] of this.table.entries()) {
      if (!isRetired || used.has(name)) continue;
      this.table.delete(name);
      this.#exact.delete(name);
    }
  }

  /** Rebuilds the index from the rows that a store restored. */
  restored(): void {
    for (const [, { image, isRetired }] of this.table.entries()) {
      this.#add(image);
      if (isRetired) this.#remove(image);
    }
  }

  #add(image: Image): void {
    const key = image.definition.toLowerCase();
    const others = (this.#versions.get(key) ?? []).filter(({ version }) => version !== image.version);
    this.#versions.set(key, [...others, image].sort(byVersion));
    this.#exact.set(nameOf(image), image);
  }

  #remove({ definition, version }: Image): void {
    const key = definition.toLowerCase();
    const others = (this.#versions.get(key) ?? []).filter((one) => one.version !== version);
    if (others.length > 0) this.#versions.set(key, others);
    else this.#versions.delete(key);
  }

  /** The image with that exact name. */
  byName(name: string): Image | undefined {
    return this.#exact.get(name.toLowerCase());
  }

  /** All versions of a definition, oldest first. */
  versionsOf(definition: string): readonly Image[] {
    return this.#versions.get(definition.toLowerCase()) ?? [];
  }

  /** All definitions of one source, each with its newest version. */
  *definitions(kind: Image["kind"]): Generator<Image> {
    for (const versions of this.#versions.values()) {
      const newest = versions.at(-1);
      if (newest?.kind === kind) yield newest;
    }
  }

  /** The image that a reference resolves to in a region; throws the provider's own refusal when it does not exist. */
  resolve(reference: JsonObject, location: string): Image {
    const name = nameIn(reference);
    const image = this.#find(name, location);
    if (!image) throw notFound(name, reference);
    if (image.regions && !image.regions.includes(location)) throw notReplicated(name.text, location);
    return image;
  }

  #find({ definition, version }: ImageName, location: string): Image | undefined {
    const versions = this.versionsOf(definition);
    if (version !== undefined && version.toLowerCase() !== "latest") {
      return versions.find((image) => image.version === version);
    }
    // A region may have another setting than the version as a whole, which then counts.
    return versions.findLast(
      (image) => (image.regionalExclusions?.[location] ?? image.excludeFromLatest) !== true,
    );
  }
}

function nameOf(image: Image): string {
  return exactName(image).toLowerCase();
}

interface ImageName {
  readonly text: string;
  readonly definition: string;
  readonly version: string | undefined;
}

function nameIn(reference: JsonObject): ImageName {
  const id =
    textAt(reference, "id") ??
    textAt(reference, "communityGalleryImageId") ??
    textAt(reference, "sharedGalleryImageId");
  if (id !== undefined) {
    const [definition = id, version] = id.split(/\/versions\//i);
    return { text: id, definition, version };
  }
  const parts = ["publisher", "offer", "sku", "version"].map((field) => textAt(reference, field));
  if (parts.includes(undefined)) {
    throw invalidParameter("imageReference", "Required parameter 'imageReference' is missing (null).");
  }
  return { text: parts.join(":"), definition: parts.slice(0, 3).join(":"), version: parts[3] };
}

function notFound({ text }: ImageName, reference: JsonObject): ArmError {
  if (textAt(reference, "publisher") !== undefined) {
    return new ArmError(404, {
      code: "PlatformImageNotFound",
      message: `The platform image '${text}' is not available. Verify that all fields in the storage profile are correct. For more details about storage profile information, please refer to https://aka.ms/storageprofile`,
      target: "imageReference",
    });
  }
  const isGallery = /\/(galleries|communitygalleries|sharedgalleries)\//i.test(text);
  return new ArmError(404, {
    code: isGallery ? "GalleryImageNotFound" : "ImageNotFound",
    message: isGallery
      ? `The gallery image ${text} does not exist. Please check the image reference.`
      : `The Image '${text}' cannot be found.`,
    target: "imageReference",
  });
}

function notReplicated(name: string, location: string): ArmError {
  return new ArmError(404, {
    code: "GalleryImageNotFound",
    message: `The gallery image ${name} is not available in ${location} region. Please contact image owner to replicate to this region, or change your requested region.`,
    target: "imageReference",
  });
}

function byVersion(a: Image, b: Image): number {
  const left = (a.version ?? "").split(".").map(Number);
  const right = (b.version ?? "").split(".").map(Number);
  for (const [index, part] of left.entries()) {
    if (part !== right[index]) return part - (right[index] ?? 0);
  }
  return 0;
}
