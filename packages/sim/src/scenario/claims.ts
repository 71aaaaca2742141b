import type { Kind } from "@capstan/api";
import { clusterName, clusterOf, scaleSetName } from "./names.ts";
import { kindName, namespaceFor } from "./objects.ts";
import { count, duration, fields, listOf, mapOf, mapped, oneOf, type Reader, text } from "./reader.ts";
import { objectName } from "./scenario-world.ts";

/** A condition that an object of the management cluster must have. */
export interface ConditionClaim {
  readonly kind: Kind;
  readonly name: string;
  readonly namespace?: string;
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
}

/** Claims about a world; all must hold at the same moment. */
export interface Claims {
  /** The cluster that nodes and pods are counted in. */
  readonly cluster: string;
  /** The number of Nodes, Ready or not. */
  readonly nodes?: number;
  readonly nodesReady?: number;
  /** The number of running and Ready pods. */
  readonly podsRunning?: number;
  /** The number of running machines of a scale set. */
  readonly machines?: readonly { readonly scaleSet: string; readonly running: number }[];
  /** The number of failed guests, by reason. */
  readonly guestsFailed?: readonly { readonly reason: string; readonly guests: number }[];
  readonly conditions?: readonly ConditionClaim[];
}

/** Claims, and how long the run waits for them. */
export interface TimedClaims extends Claims {
  /** The time limit of the run unless given. */
  readonly withinMs?: number;
}

const howMany = count(0, 100_000);

const reason = text("a reason such as TokenExpired", (given) => /^[A-Z][A-Za-z]{0,62}$/.test(given));

/** YAML parses True and False without quotes as booleans; here they are texts. */
const status: Reader<ConditionClaim["status"]> = (place, reading) => {
  if (typeof place.value === "boolean") return place.value ? "True" : "False";
  return oneOf(["True", "False", "Unknown"])(place, reading);
};

const condition: Reader<ConditionClaim> = mapped(
  fields(
    {
      kind: kindName,
      name: text("the name of an object"),
      type: text("the type of a condition, such as Ready"),
      status,
    },
    { namespace: objectName },
  ),
  ({ namespace, ...claim }, place, reading) => {
    const scope = namespaceFor(claim.kind, namespace, { place, reading });
    return scope && { ...claim, ...scope };
  },
);

const CLAIMS = {
  nodes: howMany,
  nodesReady: howMany,
  podsRunning: howMany,
  machines: mapped(mapOf(scaleSetName("seen"), howMany), (sets) =>
    sets.map(({ name, value }) => ({ scaleSet: name, running: value })),
  ),
  guestsFailed: mapped(mapOf(reason, howMany), (reasons) =>
    reasons.map(({ name, value }) => ({ reason: name, guests: value })),
  ),
  conditions: listOf(condition),
};

/** Parses the claims that a run waits for. */
export const timedClaims: Reader<TimedClaims> = mapped(
  fields({}, { ...CLAIMS, cluster: clusterName, within: duration }),
  ({ cluster, within, ...claims }, place, reading) => {
    if (Object.keys(claims).length === 0) {
      reading.report(place, `nothing is claimed; say one of ${Object.keys(CLAIMS).join(", ")}`);
      return undefined;
    }
    const named = { ...claims, cluster: clusterOf(cluster, { place, reading }) };
    return within === undefined ? named : { ...named, withinMs: within };
  },
);

/** Parses the claims at the end of a run. */
export const endClaims: Reader<Claims> = mapped(timedClaims, ({ withinMs, ...claims }, place, { report }) => {
  if (withinMs === undefined) return claims;
  report(place, "within has no meaning at the end; wait in a step: until: { … }");
  return undefined;
});
