import type { Frozen, Operation } from "@capstan/api";
import {
  advance,
  AzureError,
  type DesiredInstancePost,
  type DesiredOperation,
  instanceEvidence,
  type OperationPorts,
  type PostEvidence,
  type Progress,
  withOperationStates,
} from "@capstan/azure";
import { busyListMs } from "../observation/read-azure.ts";
import type { AzurePass, NormalScope, Pass } from "../scope.ts";
import { capacityAfter } from "./capacity-after.ts";
import { noteRejected, noteRejectedWrite, recordRejection } from "./rejected-writes.ts";

const MINUTE_MS = 60_000;
// An operation is polled again after this fraction of its age: its end is then known to within that fraction.
const POLLS_PER_AGE = 12;

/** Starts a write of the scale set; the caller has checked that no other write of it runs. */
export function startOnSet(scope: NormalScope, desired: DesiredOperation): Promise<number> {
  return step(scope, { desired, persist: expecting(scope, desired, persistSetOperation(scope)) });
}

/** Starts an operation on instances; others may run at the same time. */
export function startOnInstances(scope: NormalScope, desired: DesiredOperation): Promise<number> {
  return step(scope, { desired, persist: expecting(scope, desired, persistInstanceOperation(scope)) });
}

/** Advances a recorded operation; returns when to poll it, 0 when it has ended. */
export function pollOnce(scope: NormalScope, record: Frozen<Operation>): Promise<number> {
  const isOfInstances = record.verb === "POST";
  const persist = isOfInstances ? persistInstanceOperation(scope, record) : persistSetOperation(scope);
  return step(scope, { record, persist });
}

/** The ports for operations. */
export function operationPorts({ context, azureTarget }: AzurePass): OperationPorts {
  return { arm: azureTarget.arm, clock: context.env.clock };
}

/** Evidence for operations on instances: a fresh list. */
function evidenceOf({ poolCache, azureTarget }: AzurePass): PostEvidence {
  const { location } = azureTarget;
  return instanceEvidence((scaleSetID) =>
    poolCache.azure.instances.list(scaleSetID, { maxAgeMs: 0, location }),
  );
}

type PersistOperation = (record: Frozen<Operation> | undefined) => Promise<void>;

/**
 * Stores the record of the operation on the scale set. The intent is written before the request; the URL and the end wait for
 * the status patch at the end of the pass: if a crash loses them, a read of Azure replaces them.
 */
export function persistSetOperation({ pool, context }: Pick<Pass, "pool" | "context">): PersistOperation {
  return async (record) => {
    const { operation: _, ...rest } = pool.status ?? {};
    pool.status = withOperationStates(record ? { ...rest, operation: record } : rest);
    if (record && record.url === undefined) await context.persistStatus();
  };
}

function persistInstanceOperation(
  { pool, context }: NormalScope,
  known?: Frozen<Operation>,
): PersistOperation {
  let kept = known;
  return async (record) => {
    const { instanceOperations = [], ...rest } = pool.status ?? {};
    const others = instanceOperations.filter((one) => !kept || !isSameRecord(one, kept));
    const all = record ? [...others, record] : others;
    pool.status = withOperationStates(all.length > 0 ? { ...rest, instanceOperations: all } : rest);
    kept = record;
    if (record && record.url === undefined) await context.persistStatus();
  };
}

/** Records the expected capacity together with the intent. A different capacity later means another client resized the scale set. */
function expecting(
  { pool, poolCache }: NormalScope,
  desired: DesiredOperation,
  keep: PersistOperation,
): PersistOperation {
  return (record) => {
    const { externalCapacity: before, ...rest } = pool.status ?? {};
    if (record && record.url === undefined && rest.externalReplicas !== undefined) {
      const externalCapacity = capacityAfter(desired, before);
      pool.status = { ...rest, ...(externalCapacity !== undefined && { externalCapacity }) };
      poolCache.capacities.expect(before, externalCapacity);
    }
    return keep(record);
  };
}

/** Forgets the expected capacity after a failed write, unless it is the one from before the write. */
function forgetCapacity({ pool }: NormalScope, before?: number): void {
  const { externalCapacity, ...rest } = pool.status ?? {};
  if (pool.status && externalCapacity !== before) pool.status = rest;
}

function isSameRecord(one: Frozen<Operation>, other: Frozen<Operation>): boolean {
  return one.hash === other.hash && one.startedAt === other.startedAt;
}

interface Attempt {
  readonly record?: Frozen<Operation>;
  readonly desired?: DesiredOperation;
  readonly persist: PersistOperation;
}

/** Advances one operation; returns when to poll it, 0 when it has ended. */
async function step(scope: NormalScope, attempt: Attempt): Promise<number> {
  const { poolCache, azureTarget } = scope;
  const { scaleSetID, location } = azureTarget;
  // Reads from before a write of the set are outdated, even if the write fails.
  if (attempt.desired && attempt.desired.verb !== "POST") poolCache.azure.forgetSet(scaleSetID);
  const expected = scope.pool.status?.externalCapacity;
  try {
    const task = { ...attempt, location, evidence: evidenceOf(scope) };
    const progress = await advance(operationPorts(scope), task);
    if (!progress.isDone) return wait(scope, attempt, progress.retryAfterMs);
    noteEnd(scope, attempt, scaleSetID);
    ended(scope, attempt, progress);
    return 0;
  } catch (error) {
    forgetCapacity(scope, expected);
    return noteRejected(scope, error, (attempt.record ?? attempt.desired)?.verb === "POST");
  }
}

/** Polls long operations rarely. Only the machine's own controller waits for its instance to disappear; it learns that from the next list. */
function pollIntervalMs({ context, pool }: NormalScope, { action, startedAt }: Frozen<Operation>): number {
  const partMs = (context.env.clock.now() - Date.parse(startedAt)) / POLLS_PER_AGE;
  if (action === undefined) return partMs;
  return Math.max(partMs, Math.min(MINUTE_MS, busyListMs(pool.spec.providerIDList?.length ?? 0)));
}

function noteEnd({ poolCache, pool }: NormalScope, { record }: Attempt, scaleSetID: string): void {
  if (record) {
    poolCache.polls.end(record.url ?? "");
    poolCache.azure.noteEnd(record);
  }
  // While machines are created, the pool is listed anyway.
  if (record?.action !== "delete" || !pool.status?.operation) poolCache.azure.disturb();
  if (record?.verb !== "POST") poolCache.azure.forgetSet(scaleSetID);
}

function wait(scope: NormalScope, { record, desired }: Attempt, waitMs: number): number {
  const { poolCache, pool } = scope;
  const { operation, instanceOperations = [] } = pool.status ?? {};
  const started = desired?.verb === "POST" ? instanceOperations.at(-1) : operation;
  const followed = record ?? started;
  if (!followed) return waitMs;
  const intervalMs = Math.max(waitMs, pollIntervalMs(scope, followed));
  poolCache.polls.begin(followed.url, intervalMs);
  if (desired && isDeletion(desired)) poolCache.azure.shrink(desired.instanceIDs.length);
  return intervalMs;
}

function isDeletion(desired: DesiredOperation): desired is DesiredInstancePost {
  return desired.verb === "POST" && desired.action === "delete";
}

function ended(
  scope: NormalScope,
  { record, desired }: Attempt,
  { outcome, error, why }: Extract<Progress, { isDone: true }>,
): void {
  const verb = (record ?? desired)?.verb;
  const isOfSet = verb !== "POST";
  if (outcome === "Succeeded" && verb === "PUT") scope.poolCache.rejectedWrites.forget();
  if (outcome !== "Succeeded") forgetCapacity(scope);
  if (outcome !== "Failed") return;
  const failure = error ?? new AzureError({ class: "Transient", code: "Failed", message: why });
  // A failure on one instance shows in its provisioning state, which the next plan reads.
  if (isOfSet) noteRejectedWrite(scope, failure);
  recordRejection(scope, failure);
}
