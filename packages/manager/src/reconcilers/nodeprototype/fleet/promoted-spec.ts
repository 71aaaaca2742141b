import {
  AzureMachinePool,
  baseImageOf,
  type Frozen,
  isPromotedInSpec,
  PROTOTYPE_BASE_ANNOTATION,
  type PromotedSpec,
  promotedSpecOf,
  sameArmId,
} from "@capstan/api";
import type { Client } from "@capstan/runtime";

type Pool = Frozen<AzureMachinePool>;

/** Fields of an image that a merge patch has to remove. */
const NO_IMAGE = { id: null, marketplace: null, sharedGallery: null, computeGallery: null };

/**
 * Writes the definition into the spec of a pool, with the image that was there in an annotation of the same write. A spec that a
 * user or GitOps has changed back stays so: the scale set names the definition all the same.
 */
export async function writeToSpec(client: Client, pool: Pool, definitionID: string): Promise<boolean> {
  if (sameArmId(promotedSpecOf(pool)?.definition ?? "", definitionID)) return true;
  const [, , subscriptionID, , resourceGroup, , , , gallery, , name] = definitionID.split("/");
  const promoted: PromotedSpec = { definition: definitionID, image: baseImageOf(pool) ?? {} };
  const computeGallery = { subscriptionID, resourceGroup, gallery, name, version: "latest", plan: null };
  await write(client, pool, {
    image: { ...NO_IMAGE, computeGallery },
    annotation: JSON.stringify(promoted),
  });
  return false;
}

/** Writes the image of the user back into the spec, before its images are deleted. */
export async function restoreSpec(client: Client, pool: Pool): Promise<boolean> {
  const promoted = promotedSpecOf(pool);
  if (!promoted || !isPromotedInSpec(pool)) return true;
  const { computeGallery } = promoted.image;
  // A merge patch would keep fields of the definition.
  const fields = { subscriptionID: null, resourceGroup: null, plan: null, ...computeGallery };
  const image = { ...NO_IMAGE, ...promoted.image, ...(computeGallery && { computeGallery: fields }) };
  await write(client, pool, { image, annotation: null });
  return false;
}

/** A change by another client since the read makes the write fail with a conflict, and is read first. */
async function write(
  client: Client,
  pool: Pool,
  { image, annotation }: { readonly image: object; readonly annotation: string | null },
): Promise<void> {
  const { resourceVersion } = pool.metadata;
  const metadata = { resourceVersion, annotations: { [PROTOTYPE_BASE_ANNOTATION]: annotation } };
  await client.patch(AzureMachinePool, pool.metadata, {
    type: "merge",
    body: { metadata, spec: { template: { image } } },
  });
}
