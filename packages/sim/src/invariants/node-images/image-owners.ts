import {
  AzureMachinePool,
  AzureMachineTemplate,
  type Frozen,
  PROTOTYPE_IMAGE_ANNOTATION,
} from "@capstan/api";
import type { Truth } from "../../world/truth.ts";

const WITH_DONOR: ReadonlySet<string> = new Set([
  "Protecting",
  "Preparing",
  "Draining",
  "Stopping",
  "Snapshotting",
  "Restoring",
]);

/** A pool or a template whose image is renewed. */
export type ImageOwner = Frozen<AzureMachinePool> | Frozen<AzureMachineTemplate>;

/** Whether a renewal holds a donor. */
export function hasDonor({ status }: ImageOwner): boolean {
  return WITH_DONOR.has(status?.nodePrototyping?.phase ?? "Idle");
}

/** All pools and templates in the management cluster. */
export function ownersIn(truth: Truth): readonly ImageOwner[] {
  return [AzureMachinePool, AzureMachineTemplate].flatMap(
    ({ group, plural }) =>
      [...truth.management.list({ resource: `${group}/${plural}` })] as unknown as ImageOwner[],
  );
}

/** Whether objects of a resource renew images. */
export function isOwnerResource(resource: string): boolean {
  return resource === AzureMachinePool.plural || resource === AzureMachineTemplate.plural;
}

/** The image definition that the owner's new machines boot from, if it is not the image in the spec. */
export function definitionOf(owner: ImageOwner): string | undefined {
  const { status, metadata } = owner;
  if (status && "image" in status) return status.image?.id;
  return metadata.annotations?.[PROTOTYPE_IMAGE_ANNOTATION];
}

/** The part of the name of a gallery by which our images are recognized. */
export const PROTOTYPES = "/galleries/prototypes_";
