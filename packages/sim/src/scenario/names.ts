import type { Place } from "./located-yaml.ts";
import { type Mention, mapped, type Reader, type Reading } from "./reader.ts";
import { objectName, WORKLOAD_CLUSTER } from "./scenario-world.ts";

/** The name of a scale set, and what the step does to it. */
export function scaleSetName(as: Mention["as"]): Reader<string> {
  return mentioned("scaleSet", as);
}

/** The name of a workload cluster, or `management`. */
export const clusterName: Reader<string> = mentioned("cluster", "used");

/** The cluster of a step: the named one, else the default one. */
export function clusterOf(
  given: string | undefined,
  { place, reading }: { readonly place: Place; readonly reading: Reading },
): string {
  if (given !== undefined) return given;
  reading.mention({ what: "cluster", name: WORKLOAD_CLUSTER, as: "used", place });
  return WORKLOAD_CLUSTER;
}

function mentioned(what: Mention["what"], as: Mention["as"]): Reader<string> {
  return mapped(objectName, (name, place, { mention }) => {
    mention({ what, name, as, place });
    return name;
  });
}
