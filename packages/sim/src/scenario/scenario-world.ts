import { dns1123LabelProblems, FEATURE_NAMES, type Features } from "@capstan/api";
import { type AzureSettings, completeSettings, type Duration, IMAGE_QUOTAS } from "@capstan/azure-sim";
import type { GuestSettings } from "../guests/guest.ts";
import { type PublishedUpdates, updatesSince } from "../guests/security-updates.ts";
import { count, duration, fields, listOf, mapped, oneOf, type Reader, text, trueOrFalse } from "./reader.ts";

/** The settings of a scenario's world that differ from the defaults. */
export interface ScenarioWorld {
  /** The names of its workload clusters. */
  readonly clusters?: readonly string[];
  /** How many managers compete for the Lease. */
  readonly managers?: 1 | 2;
  /** Features to switch, such as updates in place. */
  readonly features?: Partial<Features>;
  readonly guests?: Partial<GuestSettings>;
  readonly azure?: Partial<AzureSettings>;
}

/** The default workload cluster. */
export const WORKLOAD_CLUSTER = "workload";

/** The region of all resources of a scenario. */
export const SCENARIO_LOCATION = "westus2";

const { sizes, regions } = completeSettings();

/** The name of an object in Kubernetes and of its scale set in Azure. */
export const objectName: Reader<string> = text(
  "a name of lower case letters, digits and dashes, such as pool-1",
  (given) => dns1123LabelProblems(given).length === 0,
);

/** A size of virtual machine that the simulated Azure has. */
export const vmSize: Reader<string> = oneOf(sizes.map(({ name }) => name));

/** Two percentiles of a duration, in seconds. */
export const percentiles: Reader<Duration> = mapped(
  fields({ p50: duration, p90: duration }, {}),
  ({ p50, p90 }, place, { report }) => {
    if (p90 >= p50) return { p50: p50 / 1000, p90: p90 / 1000 };
    report(place, "p90 is below p50; nine of ten cannot be faster than half of them");
    return undefined;
  },
);

// Every virtual world begins at this time.
const WORLD_START_MS = Date.parse("2026-01-01T00:00:00Z");

/** Security updates: how many are published a day, how long each takes at a first boot, and how old the base images are. */
export const publishedUpdates: Reader<PublishedUpdates> = mapped(
  fields({ perDay: count(0, 100), each: duration }, { imageAge: duration }),
  ({ perDay, each, imageAge = 0 }) => ({ perDay, secondsEach: each / 1000, imageAgeMs: imageAge }),
);

const updates = mapped(publishedUpdates, (published) => updatesSince(published, WORLD_START_MS));

const guests: Reader<Partial<GuestSettings>> = mapped(
  fields({}, { boot: percentiles, gracePeriod: duration, updates }),
  ({ gracePeriod, ...rest }) => ({
    ...rest,
    ...(gracePeriod !== undefined && { gracePeriodMs: gracePeriod }),
  }),
);

const location = oneOf(regions);
const families = new Set(sizes.map(({ family }) => family));
const quota = mapped(
  fields(
    {
      family: oneOf(["cores", ...IMAGE_QUOTAS.map(({ name }) => name), ...families]),
      limit: count(0, 1_000_000),
    },
    { location },
  ),
  (given) => ({ location: SCENARIO_LOCATION, ...given }),
);
const capacity = mapped(fields({ size: vmSize, instances: count(0, 1_000_000) }, { location }), (given) => ({
  location: SCENARIO_LOCATION,
  ...given,
}));

const azure: Reader<Partial<AzureSettings>> = mapped(
  fields(
    {},
    {
      latencies: oneOf(["recorded", "none"]),
      throttling: trueOrFalse,
      consistencyLag: percentiles,
      quotas: listOf(quota),
      capacities: listOf(capacity),
    },
  ),
  ({ throttling, ...rest }) => ({ ...rest, ...(throttling !== undefined && { isThrottled: throttling }) }),
);

const features: Reader<Partial<Features>> = fields(
  {},
  Object.fromEntries(FEATURE_NAMES.map((name) => [name, trueOrFalse])),
);

/** Parses the `world` of a scenario. */
export const scenarioWorld: Reader<ScenarioWorld> = fields(
  {},
  {
    clusters: mapped(listOf(objectName), (names, place, { report }) => {
      if (names.length > 0 && new Set(names).size === names.length) return names;
      report(place, "must name at least one cluster, and each once");
      return undefined;
    }),
    managers: mapped(count(1, 2), (given) => (given === 2 ? 2 : 1)),
    features,
    guests,
    azure,
  },
);

/** Merges two worlds field by field; the second wins. */
export function mergedWorlds(first: ScenarioWorld, second: ScenarioWorld): ScenarioWorld {
  return {
    ...first,
    ...second,
    ...((first.features ?? second.features) && { features: { ...first.features, ...second.features } }),
    guests: { ...first.guests, ...second.guests },
    azure: { ...first.azure, ...second.azure },
  };
}
