import { type Cluster, deepCopy, type Frozen } from "@capstan/api";
import {
  endpointOf,
  type Endpoint,
  type FailureDomains,
  failureDomainsOf,
  failureOf,
  isInitialized,
  isReady,
  saysNothing,
  validEndpoint,
} from "../../contract/contract-object.ts";
import { type ConditionUpdate, mirrorReady } from "../../contract/ready.ts";
import { absence, type ResolvedReference } from "../../contract/resolve.ts";

/** Whether the API server of the cluster answers; only asked for where no control plane object tells. */
export type ApiServer =
  | { readonly state: "answers" }
  | {
      readonly state: "silent";
      readonly reason: string;
      readonly message: string;
      readonly isError: boolean;
    };

/** What a pass has found out about a Cluster. */
export interface Observed {
  readonly infrastructure?: ResolvedReference;
  readonly controlPlane?: ResolvedReference;
  readonly apiServer?: ApiServer;
}

/** What becomes of the status. */
export interface Verdict {
  readonly fields: Pick<
    NonNullable<Cluster["status"]>,
    | "phase"
    | "infrastructureReady"
    | "controlPlaneReady"
    | "failureDomains"
    | "failureReason"
    | "failureMessage"
  >;
  readonly conditions: readonly ConditionUpdate[];
  /** Why the Cluster has to be looked at again although nobody will say that something has changed. */
  readonly requeueReason?: string;
}

/** The endpoint to write into the spec: what the infrastructure offers, or the control plane, while there is none. */
export function missingEndpoint(
  cluster: Frozen<Cluster>,
  { infrastructure, controlPlane }: Observed,
): Endpoint | undefined {
  if (validEndpoint(cluster.spec.controlPlaneEndpoint)) return undefined;
  return [infrastructure, controlPlane]
    .flatMap((seen) => (seen?.state === "found" ? [endpointOf(seen.object)] : []))
    .find(Boolean);
}

/** Whether only the API server itself can tell if there is a control plane: nothing else does, or nobody acts on what should. */
export function mustAskApiServer({ controlPlane }: Observed): boolean {
  if (!controlPlane) return true;
  return controlPlane.state === "found"
    ? saysNothing(controlPlane.object)
    : controlPlane.state === "notServed";
}

/** Decides what the status of a Cluster says. */
export function decideStatus(cluster: Frozen<Cluster>, observed: Observed): Verdict {
  const infrastructure = judgeInfrastructure(cluster, observed.infrastructure);
  const controlPlane = judgeControlPlane(observed);
  const domains = domainsOf(cluster, observed.infrastructure);
  const failure = failureIn(observed);
  const verdict = {
    phase: phaseOf(cluster, observed, { isReady: infrastructure.isReady, hasFailed: failure !== undefined }),
    infrastructureReady: infrastructure.isReady,
    controlPlaneReady: controlPlane.isReady,
    ...(domains && { failureDomains: domains }),
    ...failure,
  };
  const requeueReason = infrastructure.requeueReason ?? controlPlane.requeueReason;
  return {
    fields: verdict,
    conditions: [infrastructure.condition, ...controlPlane.conditions],
    ...(requeueReason !== undefined && { requeueReason }),
  };
}

interface Judgement {
  readonly isReady: boolean;
  readonly condition: ConditionUpdate;
  readonly requeueReason?: string;
}

const INFRASTRUCTURE = "InfrastructureReady";
const WAITING_FOR_INFRASTRUCTURE = "WaitingForInfrastructure";
const CONTROL_PLANE = "ControlPlaneReady";
const INITIALIZED = "ControlPlaneInitialized";
const WAITING_FOR_CONTROL_PLANE = "WaitingForControlPlane";
const WAITING_FOR_INITIALIZED = "WaitingForControlPlaneProviderInitialized";

function judgeInfrastructure(cluster: Frozen<Cluster>, seen: ResolvedReference | undefined): Judgement {
  if (!seen)
    return {
      isReady: true,
      condition: { type: INFRASTRUCTURE, status: "True", reason: "NoInfrastructureReferenced" },
    };
  if (seen.state === "found") {
    const condition = mirrorReady(INFRASTRUCTURE, seen.object, WAITING_FOR_INFRASTRUCTURE);
    return {
      isReady: isReady(seen.object),
      condition,
      ...pollOf(seen, isReady(seen.object), condition.reason),
    };
  }
  // What was provisioned once is not taken back because it is out of sight.
  const wasReady = cluster.status?.infrastructureReady ?? false;
  const condition: ConditionUpdate = {
    type: INFRASTRUCTURE,
    status: "False",
    severity: wasReady ? "Error" : "Info",
    reason: WAITING_FOR_INFRASTRUCTURE,
    message: absence(seen),
  };
  return { isReady: wasReady, condition, ...pollOf(seen, false, condition.reason) };
}

interface ControlPlaneJudgement {
  readonly isReady: boolean;
  readonly conditions: readonly ConditionUpdate[];
  readonly requeueReason?: string;
}

function judgeControlPlane(observed: Observed): ControlPlaneJudgement {
  const { controlPlane: seen } = observed;
  if (mustAskApiServer(observed)) return judgeByApiServer(observed);
  if (seen?.state !== "found") return missingControlPlane(seen);
  const ready = isReady(seen.object);
  const initialized = isInitialized(seen.object);
  const conditions: ConditionUpdate[] = [
    mirrorReady(CONTROL_PLANE, seen.object, WAITING_FOR_CONTROL_PLANE),
    initialized
      ? { type: INITIALIZED, status: "True", reason: "Initialized" }
      : { type: INITIALIZED, status: "False", severity: "Info", reason: WAITING_FOR_INITIALIZED },
  ];
  return { isReady: ready, conditions, ...pollOf(seen, ready && initialized, WAITING_FOR_CONTROL_PLANE) };
}

function missingControlPlane(seen: ResolvedReference | undefined): ControlPlaneJudgement {
  const message = seen ? absence(seen) : "The Cluster has no control plane";
  const waiting = { status: "False", severity: "Info", message } as const;
  return {
    isReady: false,
    conditions: [
      { type: CONTROL_PLANE, reason: WAITING_FOR_CONTROL_PLANE, ...waiting },
      { type: INITIALIZED, reason: WAITING_FOR_INITIALIZED, ...waiting },
    ],
    ...(seen && pollOf(seen, false, WAITING_FOR_CONTROL_PLANE)),
  };
}

function judgeByApiServer({ controlPlane, apiServer }: Observed): ControlPlaneJudgement {
  if (apiServer?.state === "answers") {
    const reason = "ApiServerAnswers";
    const conditions: ConditionUpdate[] = [CONTROL_PLANE, INITIALIZED].map((type) => ({
      type,
      status: "True",
      reason,
    }));
    return { isReady: true, conditions };
  }
  const { reason = WAITING_FOR_CONTROL_PLANE, message = "", isError = false } = apiServer ?? {};
  const why = controlPlane ? `${idle(controlPlane)}. ${message}` : message;
  const severity = isError ? "Error" : "Info";
  return {
    isReady: false,
    conditions: [CONTROL_PLANE, INITIALIZED].map((type) => ({
      type,
      status: "False",
      severity,
      reason,
      message: why,
    })),
    requeueReason: reason,
  };
}

function idle({ state, target }: ResolvedReference): string {
  const because = state === "notServed" ? "the server does not serve its kind" : "no controller acts on it";
  return `${target.text} has no status because ${because}; to use the cluster, set its endpoint and kubeconfig`;
}

/** What is followed tells of its changes itself. */
function pollOf(
  { isFollowed }: ResolvedReference,
  isSettled: boolean,
  reason: string,
): { requeueReason?: string } {
  return isFollowed || isSettled ? {} : { requeueReason: reason };
}

/** Cluster API's phases: provisioning begins with an object to provision, and ends with a place to go to. */
function phaseOf(
  { metadata, spec }: Frozen<Cluster>,
  { infrastructure, controlPlane }: Observed,
  { isReady: isInfrastructureReady, hasFailed }: { readonly isReady: boolean; readonly hasFailed: boolean },
): NonNullable<Verdict["fields"]["phase"]> {
  if (metadata.deletionTimestamp !== undefined) return "Deleting";
  if (hasFailed) return "Failed";
  if (isInfrastructureReady && validEndpoint(spec.controlPlaneEndpoint)) return "Provisioned";
  const hasBegun = [infrastructure, controlPlane].some((seen) => seen?.state === "found");
  return hasBegun ? "Provisioning" : "Pending";
}

/** As its infrastructure says; while that is out of sight, as it said before. */
function domainsOf(
  cluster: Frozen<Cluster>,
  seen: ResolvedReference | undefined,
): FailureDomains | undefined {
  if (seen?.state === "found") return failureDomainsOf(seen.object);
  return cluster.status?.failureDomains && deepCopy<FailureDomains>(cluster.status.failureDomains);
}

function failureIn({
  infrastructure,
  controlPlane,
}: Observed): { failureReason: string; failureMessage: string } | undefined {
  for (const seen of [infrastructure, controlPlane]) {
    const failure = seen?.state === "found" ? failureOf(seen.object) : undefined;
    if (seen && failure) {
      const failureMessage = `${seen.target.text} has failed: ${failure.message}`.slice(0, 10_240);
      return { failureReason: failure.reason, failureMessage };
    }
  }
  return undefined;
}
