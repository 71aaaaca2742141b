import type { Frozen, NodePrototypingStatus } from "@capstan/api";

/** The image definition that new machines boot from, and what it was made for. */
export type BootImage = NonNullable<Frozen<NodePrototypingStatus>["bootImage"]>;

/** The facts that decide which image new machines of a pool boot from. */
export interface BootImageFacts {
  /** Whether node prototyping is on for the pool: by its field and by the gate. */
  readonly isOn: boolean;
  readonly record: Pick<Frozen<NodePrototypingStatus>, "bootImage"> | undefined;
  /** The base image and the Kubernetes version of the pool today, as a hash. */
  readonly base: string;
  /** What the tags of the scale set say, for a status that was lost. */
  readonly tagged: BootImage | undefined;
}

/**
 * The prototype that new machines boot from; undefined for the image in the spec. A prototype of another image or another
 * Kubernetes version is never used. While the status has no record, it may have been lost: then the tags count.
 */
export function bootImageOf({ isOn, record, base, tagged }: BootImageFacts): BootImage | undefined {
  if (!isOn) return undefined;
  const image = record ? record.bootImage : tagged;
  return image?.base === base ? image : undefined;
}
