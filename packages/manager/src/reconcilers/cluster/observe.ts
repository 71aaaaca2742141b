import { again, Failure, next, type Outcome } from "@capstan/runtime";
import { isReady, validEndpoint } from "../../contract/contract-object.ts";
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
  await probe(scope, observed);
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

/** Asks an API server that must answer by now, unless this pass has asked it already. */
async function probe(scope: Scope, { controlPlane, apiServer }: Observed): Promise<void> {
  const isInitialized = controlPlane?.state === "found" && isReady(controlPlane.object);
  const answer = apiServer ?? (isInitialized ? await askApiServer(scope) : undefined);
  if (!answer) return;
  scope.probe = {
    isAnswering: answer.state === "answers",
    message: answer.state === "answers" ? "" : answer.message,
  };
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
