/** Azure's limits for images, which are checked before a donor is disturbed. */

/** An OS disk of this size or more is not taken as an image, unless its versions are not replicated at all. */
const TOO_LARGE_GB = 2048;

/** How much of one quota of a region is used. */
interface LimitUse {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
}

/** What decides whether Azure would take one more image. */
export interface LimitFacts {
  /** The size of the donor's OS disk; undefined if Azure does not say. */
  readonly osDiskGB: number | undefined;
  readonly region: string;
  /** The quotas of the region; empty if they cannot be read. */
  readonly usages: readonly LimitUse[];
  /** What exists already, and does not count again. */
  readonly hasGallery: boolean;
  readonly hasDefinition: boolean;
}

/** The quotas by their names in Azure, in small letters and without spaces, in the singular. */
const QUOTAS = [
  { name: "gallery", text: "galleries", isNeeded: ({ hasGallery }: LimitFacts) => !hasGallery },
  { name: "galleryimage", text: "image definitions", isNeeded: (facts: LimitFacts) => !facts.hasDefinition },
  { name: "galleryimageversion", text: "image versions", isNeeded: () => true },
] as const;

/** Why Azure would not take an image of the donor; undefined as far as is known. */
export function limitRefusalOf(facts: LimitFacts): string | undefined {
  const { osDiskGB, usages, region } = facts;
  if (osDiskGB !== undefined && osDiskGB >= TOO_LARGE_GB)
    return `the OS disk of the donor has ${osDiskGB} GB, and Azure takes images of less than ${TOO_LARGE_GB} GB; set a smaller osDisk.diskSizeGB, or remove nodePrototyping`;
  for (const { name, text, isNeeded } of QUOTAS) {
    const use = usages.find((one) => normalized(one.name) === name);
    if (use && isNeeded(facts) && use.used >= use.limit)
      return `the subscription has ${use.used} of at most ${use.limit} ${text} in ${region}; delete some, or ask Azure for more`;
  }
  return undefined;
}

function normalized(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "")
    .replace(/ies$/, "y")
    .replace(/s$/, "");
}
