/** Features that a user switches on or off, for the controllers and the admission rules alike. */

interface FeatureDefinition {
  readonly default: boolean;
  readonly description: string;
  /** Environment variables that switch the feature, the present name first; the others are accepted with a warning. */
  readonly variables: readonly string[];
}

const FEATURES = {
  InPlaceUpdates: {
    default: false,
    description: "machines are updated in place by external updaters",
    variables: [],
  },
  NodePrototyping: {
    default: false,
    description: "new nodes start from the OS image of a healthy one",
    variables: ["AZURE_NODE_OS_CACHING", "AZURE_OS_CACHING"],
  },
} as const satisfies Readonly<Record<string, FeatureDefinition>>;

/** The name of a feature. */
export type Feature = keyof typeof FEATURES;

/** Which features are on. */
export type Features = Readonly<Record<Feature, boolean>>;

/** Features as they are switched, and what the user should know about how that was done. */
export interface FeatureSelection {
  readonly features: Features;
  readonly warnings: readonly string[];
}

/** The environment variable with gates in the form of the flag. */
/** The environment variable for gates that the command line does not name. */
export const FEATURE_GATES_VARIABLE = "CAPSTAN_FEATURE_GATES";

/** Gates that cannot be understood; the message names the gate, its value and what would be accepted. */
export class FeatureGateError extends Error {
  override readonly name = "FeatureGateError";
}

const DEFINITIONS: Readonly<Record<Feature, FeatureDefinition>> = FEATURES;
const NAMES = Object.keys(FEATURES) as Feature[];

/** The features without any gate. */
export const DEFAULT_FEATURES: Features = featuresOf((name) => DEFINITIONS[name].default);

/** The names of all features. */
export const FEATURE_NAMES: readonly Feature[] = NAMES;

/**
 * Reads the gates: the flag (`InPlaceUpdates=true,NodePrototyping=false`) counts more than the variable of a feature, and
 * that more than CAPSTAN_FEATURE_GATES. Throws a FeatureGateError.
 */
export function selectFeatures(
  flag: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): FeatureSelection {
  const warnings: string[] = [];
  const shared = parseGates(variables[FEATURE_GATES_VARIABLE] ?? "", FEATURE_GATES_VARIABLE);
  const own = new Map<Feature, boolean>();
  for (const name of NAMES) {
    const [current = ""] = DEFINITIONS[name].variables;
    const variable = DEFINITIONS[name].variables.find((one) => (variables[one] ?? "") !== "");
    if (variable === undefined) continue;
    own.set(name, parseBoolean(variables[variable] ?? "", variable));
    if (variable !== current) warnings.push(`${variable} is an older name; set ${current} instead`);
  }
  const given = parseGates(flag ?? "", "--feature-gates");
  const features = featuresOf(
    (name) => given.get(name) ?? own.get(name) ?? shared.get(name) ?? DEFINITIONS[name].default,
  );
  return { features, warnings };
}

function featuresOf(isOn: (name: Feature) => boolean): Features {
  return Object.fromEntries(NAMES.map((name) => [name, isOn(name)])) as Record<Feature, boolean>;
}

function parseGates(text: string, source: string): ReadonlyMap<Feature, boolean> {
  const gates = new Map<Feature, boolean>();
  for (const entry of text.split(",").filter((part) => part.trim() !== "")) {
    const [name = "", value = "", ...rest] = entry.split("=").map((part) => part.trim());
    const known = NAMES.find((one) => one === name);
    if (!known) {
      throw new FeatureGateError(
        `${source}: there is no feature ${JSON.stringify(name)}; there is: ${NAMES.join(", ")}`,
      );
    }
    gates.set(known, parseBoolean([value, ...rest].join("="), `${source}: ${name}`));
  }
  return gates;
}

// As Go's flags read them: platform teams copy gates from manifests of Cluster API.
const TRUE: ReadonlySet<string> = new Set(["true", "1", "t"]);
const FALSE: ReadonlySet<string> = new Set(["false", "0", "f"]);

function parseBoolean(text: string, source: string): boolean {
  const value = text.trim().toLowerCase();
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  throw new FeatureGateError(`${source} is ${JSON.stringify(text)}; expected true or false`);
}
