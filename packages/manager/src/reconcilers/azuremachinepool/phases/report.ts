import {
  type AzureMachinePool,
  AzureMachinePoolMachine,
  formatProviderId,
  type Frozen,
  parseProviderId,
  sameArmId,
} from "@capstan/api";
import { hasOtherTags } from "@capstan/plan";
import type { PassSummary } from "@capstan/runtime";
import { readinessFields } from "../../../contract/provisioned.ts";
import { reportedImage } from "../model/boot-image.ts";
import { forgetTags } from "../model/tags.ts";
import { setStatus } from "../observation/set-status.ts";
import type { NormalScope, PlannedObservation, Scope } from "../scope.ts";
import { reportConditions } from "./report-conditions.ts";

/** Reports the results of the pass. After a failure some are missing, and their earlier values stay. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { pool, conditions } = scope;
  if (scope.isQuiet === true && conditions) {
    pool.status = { ...pool.status, conditions };
    claimReady();
  }
  if (scope.kind !== "normal" || !scope.observation || !scope.planned) return;
  const observation = { ...scope.observation, planned: scope.planned };
  reportCounts(scope, observation);
  if (areTagsWritten(scope, observation)) forgetTags(scope);
  reportConditions(scope, observation);
  claimReady();
}

/** Sets status and provider ids; counts that are held back keep their published values. */
function reportCounts(scope: NormalScope, observation: PlannedObservation): void {
  const { pool } = scope;
  const isPublished = mayPublish(scope, observation);
  // No controller sets these three for a pool any more.
  const { instances: _, failureReason: __, failureMessage: ___, ...known } = pool.status ?? {};
  delete known.infrastructureMachineKind;
  // The image stays in the status until machines are created from another one.
  if (observation.view.setHash === observation.view.desiredHash) delete known.image;
  const { replicas = 0, upToDateReplicas } = known;
  const before = { replicas, ...(upToDateReplicas !== undefined && { upToDateReplicas }) };
  pool.status = { ...known, ...statusOf(scope, observation), ...(!isPublished && before) };
  if (observation.set && isPublished) publishIDs(scope, observation);
}

/** Whether Azure has exactly the desired tags since the last write. */
function areTagsWritten(scope: NormalScope, observation: PlannedObservation): boolean {
  const isSeen = observation.set !== undefined && !scope.pool.status?.operation;
  return isSeen && !hasOtherTags(observation.view);
}

// Of a thousand machines that become ready one by one, counts are published every ten seconds, about three machines at a time.
const MS_FOR_MACHINE = 100;
const PUBLISH_WITHIN_MS = 10_000;

/** Whether to publish counts now: during a rollout they change all the time, and each change costs a write. */
function mayPublish({ poolCache, context }: NormalScope, { machines }: PlannedObservation): boolean {
  const pauseMs = poolCache.isSettled ? 0 : Math.min(PUBLISH_WITHIN_MS, machines.length * MS_FOR_MACHINE);
  return poolCache.publishInterval.isDue(context.env.clock.monotonic(), pauseMs);
}

type Status = NonNullable<AzureMachinePool["status"]>;

function statusOf(
  { pool, owners, shared }: NormalScope,
  { set, machines, view, planned }: PlannedObservation,
): Partial<Status> {
  const { version } = owners.machinePool.spec.template.spec;
  const isCurrent = view.setHash === view.desiredHash;
  const image = set && reportedImage(pool, set);
  return {
    ...setFields(pool.status, { set, planned }),
    replicas: machines.filter(({ isReady }) => isReady === true).length,
    upToDateReplicas: planned.budget.upToDate,
    // With it, Cluster API's own core makes a Machine for each machine.
    ...(shared.ports.isBesideOtherCore && { infrastructureMachineKind: AzureMachinePoolMachine.kind }),
    ...(view.setHash !== undefined && { modelHash: view.setHash }),
    ...(isCurrent && version !== undefined && { version }),
    ...(isCurrent && image && { image }),
    ...(view.desired === view.machines.length && { lastReconciledReplicas: view.desired }),
  };
}

/** What the pool reports of its scale set. */
function setFields(
  before: Frozen<Status> | undefined,
  { set, planned }: Pick<PlannedObservation, "set" | "planned">,
): Partial<Status> {
  if (!set) return readinessFields(before, false);
  const isSized = planned.budget.live === planned.budget.desired;
  const { ready, provisioningState } = setStatus(set.provisioningState, {
    isSized,
    wasReady: before?.ready === true,
  });
  return { ...readinessFields(before, ready), provisioningState };
}

/** Sets the provider ids where Cluster API reads them. */
function publishIDs({ pool, azureTarget }: NormalScope, { instances }: PlannedObservation): void {
  const { scaleSetID } = azureTarget;
  // Machines are matched to the pool by this id, so a wrong value that a user has set is corrected.
  if (!isOfSet(pool.spec.providerID, scaleSetID))
    pool.spec.providerID = formatProviderId(parseProviderId(`azure://${scaleSetID}`));
  const ids = instances
    .filter(({ provisioningState }) => provisioningState !== "Deleting")
    .map(({ providerID }) => providerID);
  if (ids.length > 0 || pool.spec.providerIDList) pool.spec.providerIDList = ids.sort();
}

function isOfSet(providerID: string | undefined, scaleSetID: string): boolean {
  return providerID !== undefined && sameArmId(providerID.replace(/^azure:\/\//, ""), scaleSetID);
}
