import { deepEqual, isJsonObject } from "@capstan/api";

type Properties = Readonly<Record<string, unknown>>;

/** What a definition must say so that versions of a snapshot fit into it, and machines with custom data boot from them. */
export function definitionFor(snapshot: Properties): Properties {
  const { purchasePlan, supportedCapabilities, securityProfile } = snapshot;
  const architecture = textIn(supportedCapabilities, "architecture");
  return {
    ...USABLE,
    hyperVGeneration: textIn(snapshot, "hyperVGeneration") ?? "V2",
    ...(architecture !== undefined && { architecture }),
    ...(purchasePlan !== undefined && { purchasePlan }),
    features: [{ name: SECURITY_TYPE, value: textIn(securityProfile, "securityType") ?? STANDARD }],
  };
}

/** Where an existing definition differs from the one that is needed, and what to do; undefined if it fits. */
export function mismatchOf(
  existing: Properties,
  needed: Properties,
  fields: readonly string[] = FIELDS,
): string | undefined {
  for (const field of fields) {
    const [found, desired] = [valueOf(existing, field), valueOf(needed, field)];
    if (deepEqual(found, desired)) continue;
    return `has properties.${field} ${shown(found)}, and new machines need ${shown(desired)}; delete the definition, and the next renewal creates one that fits`;
  }
  return undefined;
}

/** What exists in Azure where a renewal publishes, and the machine that would be its donor. */
export interface GalleryFacts {
  readonly gallery: { readonly id: string; readonly isOwned: boolean } | undefined;
  readonly definition: { readonly id: string; readonly properties: Properties } | undefined;
  /** The machine with its instance view. */
  readonly machine: Properties;
}

/** What is wrong with a gallery that this cluster has not created. */
export const FOREIGN_GALLERY = "exists without the tags of this cluster; delete it, or tag it as owned";

/** Why no image of a machine can be published; undefined as far as the machine tells. Its snapshot tells the rest. */
export function galleryRefusalOf({ gallery, definition, machine }: GalleryFacts): string | undefined {
  if (gallery && !gallery.isOwned) return `the gallery ${gallery.id} ${FOREIGN_GALLERY}`;
  if (!definition) return undefined;
  const needed = neededBy(machine);
  // What the machine does not say may still be true of its disk.
  const said = FIELDS.filter((field) => givenIn(needed, field) !== undefined);
  const mismatch = mismatchOf(definition.properties, needed, said);
  return mismatch && `the image definition ${definition.id} ${mismatch}`;
}

function neededBy({ plan, properties }: Properties): Properties {
  const { instanceView, securityProfile } = isJsonObject(properties) ? properties : {};
  // Disks of confidential machines have other names for the type.
  const isTrusted = textIn(securityProfile, "securityType") === TRUSTED_LAUNCH;
  return {
    ...USABLE,
    hyperVGeneration: textIn(instanceView, "hyperVGeneration"),
    purchasePlan: plan,
    features: isTrusted ? [{ name: SECURITY_TYPE, value: TRUSTED_LAUNCH }] : [],
  };
}

// Machines get custom data, which only a generalized image takes.
const USABLE: Properties = { osType: "Linux", osState: "Generalized" };
const TRUSTED_LAUNCH = "TrustedLaunch";
const SECURITY_TYPE = "SecurityType";
const STANDARD = "Standard";
const SECURITY = `features.${SECURITY_TYPE}`;
const FIELDS = ["osType", "osState", "hyperVGeneration", "architecture", "purchasePlan", SECURITY];

/** Azure's values for what a definition leaves out. */
const DEFAULTS: Properties = { hyperVGeneration: "V1", architecture: "x64", [SECURITY]: STANDARD };

function valueOf(properties: Properties, field: string): unknown {
  return givenIn(properties, field) ?? DEFAULTS[field];
}

function givenIn(properties: Properties, field: string): unknown {
  return field === SECURITY ? securityOf(properties) : properties[field];
}

function securityOf({ features }: Properties): string | undefined {
  const all: readonly unknown[] = Array.isArray(features) ? features : [];
  const feature = all.find((one) => textIn(one, "name") === SECURITY_TYPE);
  const value = textIn(feature, "value");
  // Such a definition takes the images of standard machines, too.
  return value === "TrustedLaunchSupported" ? STANDARD : value;
}

function textIn(value: unknown, field: string): string | undefined {
  const inner = isJsonObject(value) ? value[field] : undefined;
  return typeof inner === "string" && inner !== "" ? inner : undefined;
}

function shown(value: unknown): string {
  if (value === undefined) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
