/** The image that a user has chosen for a pool, also after an image of its own nodes was written into the spec. */
import type { Frozen } from "../../kubernetes/meta.ts";
import { foldCase } from "../../values/arm-id.ts";
import { type Image, imageErrors } from "../image.ts";

/** Annotation of a pool with promotion Spec: the definition that is in its spec, and the image that was there before, as JSON. */
export const PROTOTYPE_BASE_ANNOTATION = "capstan.dev/prototype-base-image";

/** The parts of a pool that tell its image. */
interface ImageSource {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly template: { readonly image?: Frozen<Image> & { readonly nodePrototyping?: unknown } };
  };
}

/** What the annotation says. */
export interface PromotedSpec {
  /** The ARM id of the definition that was written into the spec. */
  readonly definition: string;
  /** The image that was in the spec before. */
  readonly image: Frozen<Image>;
}

/** Reads the annotation; undefined without it, and if it has another form. */
export function promotedSpecOf({ metadata }: Pick<ImageSource, "metadata">): PromotedSpec | undefined {
  try {
    const value: unknown = JSON.parse(metadata.annotations?.[PROTOTYPE_BASE_ANNOTATION] ?? "");
    const { definition, image } = value as Partial<PromotedSpec>;
    const isWhole = typeof definition === "string" && typeof image === "object" && image !== null;
    return isWhole && imageErrors("image", image).length === 0 ? { definition, image } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the spec names the definition that a promotion has written into it. */
export function isPromotedInSpec(pool: ImageSource): boolean {
  const { computeGallery } = pool.spec.template.image ?? {};
  const { definition } = promotedSpecOf(pool) ?? {};
  if (!computeGallery || definition === undefined) return false;
  const { subscriptionID = "", resourceGroup = "", gallery, name } = computeGallery;
  const id = `/subscriptions/${subscriptionID}/resourceGroups/${resourceGroup}/providers/Microsoft.Compute/galleries/${gallery}/images/${name}`;
  return foldCase(id) === foldCase(definition);
}

/** The image that a user has chosen: the one in the spec, or the one that a promotion has replaced there. */
export function baseImageOf(pool: ImageSource): Frozen<Image> | undefined {
  const { image } = pool.spec.template;
  if (!image) return undefined;
  const { nodePrototyping: _, ...inSpec } = image;
  return isPromotedInSpec(pool) ? (promotedSpecOf(pool)?.image ?? inSpec) : inSpec;
}
