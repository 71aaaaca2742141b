import { AzureCluster, deepEqual, formatFieldError } from "@capstan/api";
import { block, type Failure, next, type Outcome, terminal } from "@capstan/runtime";
import { failureOf } from "@capstan/azure";
import { annotationsFor, applied, joined, lastAppliedIn } from "./model/last-applied.ts";
import { locationOf } from "../../azure-cluster/spec-view.ts";
import type { Scope } from "./scope.ts";
import { unsupportedIn } from "./model/unsupported.ts";
import { desiredResources } from "./model/resources.ts";

/** Refuses unsupported fields before any resource is created. */
export function refuseUnsupported({ cluster, context }: Scope): Outcome {
  const [first] = unsupportedIn(cluster.spec);
  if (!first) return next;
  const { condition, field, message } = first;
  throw refusal(context, "NotSupported", { message: `${field}: ${message}`, conditions: [condition] });
}

/** Refuses an invalid spec that bypassed admission. A cluster that is already built stays accepted. */
export function refuseInvalid({ cluster, context }: Scope): Outcome {
  if (cluster.status?.ready === true) return next;
  // Without an identity, the cluster uses the manager's.
  const errors = AzureCluster.validate({ object: cluster }).filter(
    ({ field }) => field !== "spec.identityRef",
  );
  if (errors.length === 0) return next;
  throw refusal(context, "InvalidSpec", { message: errors.map(formatFieldError).join("; "), conditions: [] });
}

function refusal(
  context: Scope["context"],
  reason: string,
  { message, conditions }: { readonly message: string; readonly conditions: readonly string[] },
): Failure {
  for (const type of [...conditions, "NetworkInfrastructureReady"]) {
    context.setCondition({ type, status: "False", severity: "Error", reason, message });
  }
  return terminal(reason, message);
}

/** Finds the zones of the region, in which addresses are created and machines can be placed. */
export async function findZones(scope: Scope): Promise<Outcome> {
  const { cluster, shared, arm } = scope;
  if (cluster.status?.failureDomains) return next;
  try {
    const { subscriptionID } = scope.plan;
    const region = await shared.ports.regionSizes.find(arm, subscriptionID, locationOf(scope.plan));
    if (!region) throw noSuchRegion(scope);
    const { zones } = region;
    const given = cluster.spec.failureDomains ?? {};
    const unknown = Object.keys(given).find((zone) => !zones.includes(zone));
    if (unknown !== undefined) throw noSuchZone(scope, unknown, zones);
    const failureDomains = Object.fromEntries(
      zones.map((zone) => [zone, { controlPlane: given[zone]?.controlPlane !== false }] as const),
    );
    cluster.status = { ...cluster.status, failureDomains };
    scope.plan = { ...scope.plan, zones };
    scope.desired = desiredResources(scope.plan);
    return next;
  } catch (error) {
    throw failureOf(error, `spec.location: zones of ${cluster.spec.location}`);
  }
}

function noSuchRegion({ cluster, context }: Scope): Failure {
  const message = `spec.location: Invalid value: ${JSON.stringify(cluster.spec.location)}: Azure offers no VMs in that location; use the name of a region such as westeurope`;
  return refusal(context, "LocationUnknown", { message, conditions: [] });
}

function noSuchZone({ cluster, context }: Scope, zone: string, zones: readonly string[]): Failure {
  const known = zones.length === 0 ? "has no zones" : `has the zones ${zones.join(", ")}`;
  const message = `spec.failureDomains: Invalid value: ${JSON.stringify(zone)}: ${cluster.spec.location} ${known}; remove it`;
  return refusal(context, "FailureDomainUnknown", { message, conditions: [] });
}

/** Records the user's tags and rules before they are written. */
export function recordApplied({ cluster, plan }: Scope): Outcome {
  const before = lastAppliedIn(cluster.metadata.annotations);
  const both = annotationsFor(joined(before, applied(plan)));
  if (deepEqual(annotationsFor(before), both)) return next;
  annotate(cluster, both);
  return block(0, "RecordingAppliedTags");
}

/** Sets Capstan's annotations and removes the empty ones. */
export function annotate(
  cluster: Scope["cluster"],
  desired: Readonly<Record<string, string | undefined>>,
): void {
  const annotations = { ...cluster.metadata.annotations };
  for (const [name, value] of Object.entries(desired)) {
    if (value === undefined) delete annotations[name];
    else annotations[name] = value;
  }
  if (Object.keys(annotations).length > 0) cluster.metadata.annotations = annotations;
  else delete cluster.metadata.annotations;
}
