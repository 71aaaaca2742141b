import { again, Failure, next, type Outcome } from "@capstan/runtime";
import { validEndpoint } from "../../contract/contract-object.ts";
import { reconcileReference } from "../../contract/reconcile-reference.ts";
import type { ResolvedReference } from "../../contract/resolve.ts";
import { type ApiServer, decideStatus, missingEndpoint, mustAskApiServer, type Observed } from "./decide.ts";
import type { Scope } from "./scope.ts";

/** The references of a Cluster, and the condition of each. */
export const REFERENCES = {
  infrastructure: { field: "spec.infrastructureRef", condition: "InfrastructureReady" },
  controlPlane: { field: "spec.controlPlaneRef", condition: "ControlPlaneReady" },
} as const;

// Cluster API's interval for objects that it does not watch.
const REFERENCE_POLL_MS = 15_000;

/** Reads the referenced objects, sets their owner, and copies their endpoint. */
export async function observe(scope: Scope): Promise<Outcome> {
  const { spec } = scope.cluster;
  const infrastructure = await see(scope, "infrastructure");
  const controlPlane = await see(scope, "controlPlane");
  const objects: Observed = {
    ...(infrastructure && { infrastructure }),
    ...(controlPlane && { controlPlane }),
  };
  const endpoint = missingEndpoint(scope.cluster, objects);
  if (endpoint) spec.controlPlaneEndpoint = endpoint;
  const observed = mustAskApiServer(objects) ? { ...objects, apiServer: await askApiServer(scope) } : objects;
  scope.observed = observed;
  const { requeueReason } = decideStatus(scope.cluster, observed);
  return requeueReason === undefined ? next : again(REFERENCE_POLL_MS, requeueReason);
}

async function see(
  { context, cluster }: Scope,
  which: keyof typeof REFERENCES,
): Promise<ResolvedReference | undefined> {
  const reference = cluster.spec[`${which}Ref`];
  const adopter = { owner: cluster, clusterName: cluster.metadata.name };
  return reference && (await reconcileReference(context, { reference, ...REFERENCES[which] }, adopter));
}

async function askApiServer({ cluster, ports }: Scope): Promise<ApiServer> {
  if (!validEndpoint(cluster.spec.controlPlaneEndpoint)) {
    const message = "spec.controlPlaneEndpoint is not set yet";
    return { state: "silent", reason: "WaitingForControlPlaneEndpoint", message, isError: false };
  }
  try {
    await ports.workloads.get(cluster);
    return { state: "answers" };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { reason, message, failure } = error;
    return { state: "silent", reason, message, isError: failure === "Terminal" };
  }
}
