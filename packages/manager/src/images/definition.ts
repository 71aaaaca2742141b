import { deepEqual, isJsonObject } from "@capstan/api";

type Properties = Readonly<Record<string, unknown>>;

/** What a definition must say so that versions of a snapshot fit into it, and machines with custom data boot from them. */
export function definitionFor(snapshot: Properties): Properties {
  const { purchasePlan, supportedCapabilities, securityProfile } = snapshot;
  const architecture = textIn(supportedCapabilities, "architecture");
  return {
    osType: "Linux",
    // Machines get custom data, which only a generalized image takes.
    osState: "Generalized",
    hyperVGeneration: textIn(snapshot, "hyperVGeneration") ?? "V2",
    ...(architecture !== undefined && { architecture }),
    ...(purchasePlan !== undefined && { purchasePlan }),
    features: [{ name: SECURITY_TYPE, value: textIn(securityProfile, "securityType") ?? STANDARD }],
  };
}

/** Where an existing definition differs from the one that is needed, and what to do; undefined if it fits. */
export function mismatchOf(existing: Properties, needed: Properties): string | undefined {
  for (const field of FIELDS) {
    const [found, wanted] = [valueOf(existing, field), valueOf(needed, field)];
    if (deepEqual(found, wanted)) continue;
    return `has properties.${field} ${shown(found)}, and new machines need ${shown(wanted)}; delete the definition, and the next renewal creates one that fits`;
  }
  return undefined;
}

const SECURITY_TYPE = "SecurityType";
const STANDARD = "Standard";
const SECURITY = `features.${SECURITY_TYPE}`;
const FIELDS = ["osType", "osState", "hyperVGeneration", "architecture", "purchasePlan", SECURITY];

/** Azure's values for what a definition leaves out. */
const DEFAULTS: Properties = { hyperVGeneration: "V1", architecture: "x64", [SECURITY]: STANDARD };

function valueOf(properties: Properties, field: string): unknown {
  const value = field === SECURITY ? securityOf(properties) : properties[field];
  return value ?? DEFAULTS[field];
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
