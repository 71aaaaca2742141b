import { type Cluster, deepCopy, deprecatedConditionsOf, type Frozen, getCondition } from "@capstan/api";
import {
  endpointOf,
  type Endpoint,
  type FailureDomain,
  failureDomainsOf,
  failureOf,
  isInitialized,
  isReady,
  saysNothing,
  validEndpoint,
} from "../../contract/contract-object.ts";
import { type ConditionUpdate, mirrorReady } from "../../contract/ready.ts";
import { absence, type ResolvedReference } from "../../contract/resolve.ts";

/** Whether the API server of the cluster answers; checked only if no control plane object reports it. */
export type ApiServer =
  | { readonly state: "answers" }
  | {
      readonly state: "silent";
      readonly reason: string;
      readonly message: string;
      readonly isError: boolean;
    };

/** The observations of a pass over a Cluster. */
export interface Observed {
  readonly infrastructure?: ResolvedReference;
  readonly controlPlane?: ResolvedReference;
  readonly apiServer?: ApiServer;
}

/** The new status. */
export interface Verdict {
  readonly fields: Pick<NonNullable<Cluster["status"]>, "phase" | "initialization" | "failureDomains">;
  /** Why the cluster failed for good, which only clients of v1beta1 read. */
  readonly failure: { readonly failureReason: string; readonly failureMessage: string } | undefined;
  readonly conditions: readonly ConditionUpdate[];
  /** Why the Cluster must be requeued: no watch reports this change. */
  readonly requeueReason?: string;
}

/** The endpoint to write to the spec if it has none: that of the infrastructure or of the control plane. */
export function missingEndpoint(
  cluster: Frozen<Cluster>,
  { infrastructure, controlPlane }: Observed,
): Endpoint | undefined {
  if (validEndpoint(cluster.spec.controlPlaneEndpoint)) return undefined;
  return [infrastructure, controlPlane]
    .flatMap((seen) => (seen?.state === "found" ? [endpointOf(seen.object)] : []))
    .find(Boolean);
}

/** Whether only the API server can show that a control plane exists: no object reports it, or no controller acts on it. */
export function mustAskApiServer({ controlPlane }: Observed): boolean {
  if (!controlPlane) return true;
  return controlPlane.state === "found"
    ? saysNothing(controlPlane.object)
    : controlPlane.state === "notServed";
}

/** Decides the status of a Cluster. */
export function decideStatus(cluster: Frozen<Cluster>, observed: Observed): Verdict {
  const infrastructure = judgeInfrastructure(cluster, observed.infrastructure);
  const controlPlane = onceInitialized(cluster, judgeControlPlane(observed));
  const domains = domainsOf(cluster, observed.infrastructure);
  const failure = failureIn(observed);
  const verdict = {
    phase: phaseOf(cluster, observed, { isReady: infrastructure.isReady, hasFailed: failure !== undefined }),
    initialization: {
      infrastructureProvisioned: infrastructure.isReady,
      controlPlaneInitialized: controlPlane.isReady,
    },
    ...(domains && { failureDomains: domains }),
  };
  const requeueReason = infrastructure.requeueReason ?? controlPlane.requeueReason;
  return {
    fields: verdict,
    failure,
    conditions: [
      infrastructure.condition,
      ...controlPlane.conditions,
      ...managedAgain(cluster, controlPlane),
    ],
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
const MANAGED = "ControlPlaneManaged";
const WAITING_FOR_CONTROL_PLANE = "WaitingForControlPlane";
const WAITING_FOR_INITIALIZED = "WaitingForControlPlaneProviderInitialized";

function judgeInfrastructure(cluster: Frozen<Cluster>, seen: ResolvedReference | undefined): Judgement {
  if (!seen)
    return {
      isReady: true,
      condition: { type: INFRASTRUCTURE, status: "True", reason: "NoInfrastructureReferenced" },
    };
  // By Cluster API's contract what was provisioned once stays so, also if its object is not ready or cannot be read now.
  const wasReady = cluster.status?.initialization?.infrastructureProvisioned ?? false;
  if (seen.state === "found") {
    const isReadyNow = isReady(seen.object);
    const condition = mirrorReady(INFRASTRUCTURE, seen.object, WAITING_FOR_INFRASTRUCTURE);
    return { isReady: wasReady || isReadyNow, condition, ...pollOf(seen, isReadyNow, condition.reason) };
  }
  const condition: ConditionUpdate = {
    type: INFRASTRUCTURE,
    status: "False",
    severity: wasReady ? "Error" : "Info",
    reason: WAITING_FOR_INFRASTRUCTURE,
    message: absence(seen),
  };
  return { isReady: wasReady, condition, ...pollOf(seen, false, condition.reason) };
}

/** A control plane that was initialized stays so, by Cluster API's contract: one that does not answer now is not ready. */
function onceInitialized(cluster: Frozen<Cluster>, judgement: ControlPlaneJudgement): ControlPlaneJudgement {
  if (cluster.status?.initialization?.controlPlaneInitialized !== true) return judgement;
  const { conditions, ...rest } = judgement;
  const initialized: ConditionUpdate = { type: INITIALIZED, status: "True", reason: "Initialized" };
  const kept = conditions.map((condition) =>
    condition.type === INITIALIZED && condition.status !== "True" ? initialized : condition,
  );
  return { ...rest, isReady: true, conditions: kept };
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
    return { isReady: true, conditions: [...conditions, ...unmanaged(controlPlane)] };
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

function idle(controlPlane: ResolvedReference): string {
  return `${whyIdle(controlPlane)}; to use the cluster, set its endpoint and kubeconfig`;
}

/** The cluster can be used, but no controller creates, upgrades or repairs its control plane. */
function unmanaged(controlPlane: ResolvedReference | undefined): readonly ConditionUpdate[] {
  if (!controlPlane) return [];
  const message = `${whyIdle(controlPlane)}; the API server at the endpoint of the cluster answers`;
  return [{ type: MANAGED, status: "False", severity: "Warning", reason: "NoController", message }];
}

/** Resets the condition of a control plane that has a controller now. */
function managedAgain(
  cluster: Frozen<Cluster>,
  { conditions }: ControlPlaneJudgement,
): readonly ConditionUpdate[] {
  const isKnown = getCondition(deprecatedConditionsOf(cluster), MANAGED) !== undefined;
  if (!isKnown || conditions.some(({ type }) => type === MANAGED)) return [];
  return [{ type: MANAGED, status: "True", reason: "ControllerReports" }];
}

function whyIdle({ state, target }: ResolvedReference): string {
  const because = state === "notServed" ? "the server does not serve its kind" : "no controller acts on it";
  return `${target.text} has no status because ${because}`;
}

/** Watched objects need no polling. */
function pollOf(
  { isFollowed }: ResolvedReference,
  isSettled: boolean,
  reason: string,
): { requeueReason?: string } {
  return isFollowed || isSettled ? {} : { requeueReason: reason };
}

/** Cluster API's phases: provisioning starts with an infrastructure reference and ends with an endpoint. */
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

/** The failure domains of the infrastructure; the previous ones while it cannot be read. */
function domainsOf(
  cluster: Frozen<Cluster>,
  seen: ResolvedReference | undefined,
): FailureDomain[] | undefined {
  if (seen?.state === "found") return failureDomainsOf(seen.object);
  return cluster.status?.failureDomains && deepCopy<FailureDomain[]>(cluster.status.failureDomains);
}

function failureIn({ infrastructure, controlPlane }: Observed): Verdict["failure"] {
  for (const seen of [infrastructure, controlPlane]) {
    const failure = seen?.state === "found" ? failureOf(seen.object) : undefined;
    if (seen && failure) {
      const failureMessage = `${seen.target.text} has failed: ${failure.message}`.slice(0, 10_240);
      return { failureReason: failure.reason, failureMessage };
    }
  }
  return undefined;
}
