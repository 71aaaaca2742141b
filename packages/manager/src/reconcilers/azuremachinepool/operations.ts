import type { Frozen, Operation } from "@capstan/api";
import { again, block, type Failure, next, type Outcome } from "@capstan/runtime";
import {
  advance,
  AzureError,
  failureOf,
  instanceEvidence,
  type OperationPorts,
  type PostEvidence,
  type Progress,
  type DesiredOperation,
  type DesiredInstancePost,
} from "@capstan/azure";
import { poolSpecOf } from "../../contract/pool-spec.ts";
import { minReconcileIntervalMsOf } from "../../workload/reconcile-interval.ts";
import { capacityAfter } from "./capacity-after.ts";
import { busyListMs } from "./observe.ts";
import { type NormalScope, type AzurePass, type Pass } from "./scope.ts";

/** Requeue soon, not immediately: the next decision needs a fresh read of Azure. */
const DECIDE_AGAIN_MS = 5_000;
// CAPZ's wait when Azure sends no Retry-After.
const UNTOLD_WAIT_MS = 60_000;
const MINUTE_MS = 60_000;
const TEN_MINUTES_MS = 10 * MINUTE_MS;
// Azure's message; its error code says only that the request is not allowed.
const MODEL_LIMIT = /\blimit of \d+ models\b/i;
// An operation is polled again after this fraction of its age: its end is then known to within that fraction.
const PATIENCE = 12;

/** Polls each running operation once. One that hangs holds up only itself. */
export async function followOperations(scope: NormalScope): Promise<Outcome> {
  const { operation, instanceOperations = [] } = scope.pool.status ?? {};
  const waits: number[] = [];
  if (operation) waits.push(await follow(scope, { record: operation, persist: persistSetOperation(scope) }));
  for (const record of instanceOperations)
    waits.push(await follow(scope, { record, persist: persistInstanceOperation(scope, record) }));
  const soonest = Math.min(...waits.filter((waitMs) => waitMs > 0));
  if (!Number.isFinite(soonest)) return next;
  const minReconcileIntervalMs = waits.includes(0) ? 0 : reconcileIntervalLeftMs(scope);
  if (minReconcileIntervalMs <= 0) return again(soonest, "OperationRunning");
  scope.isQuiet = true;
  return block(Math.min(soonest, minReconcileIntervalMs), "OperationRunning");
}

/** The rest of the minimum reconcile interval, if the last plan was for the same desired state: polling needs no new plan. */
function reconcileIntervalLeftMs(scope: NormalScope): number {
  const { context, memory, pool } = scope;
  if (memory.decided?.desiredStateKey !== desiredStateKey(scope)) return 0;
  return (
    memory.decided.atMs + minReconcileIntervalMsOf(pool.spec.providerIDList) - context.env.clock.monotonic()
  );
}

/** Polls an operation no more often than Azure asks for, however often the pool is enqueued. */
async function follow(
  scope: NormalScope,
  attempt: Attempt & { readonly record: Frozen<Operation> },
): Promise<number> {
  const waitMs = scope.memory.pollBackoff.leftMs(attempt.record.url);
  return waitMs > 0 ? waitMs : step(scope, attempt);
}

/** Starts a write of the scale set; the caller has checked that no other write of it runs. */
export function startOnSet(scope: NormalScope, desired: DesiredOperation): Promise<number> {
  return step(scope, { desired, persist: expecting(scope, desired, persistSetOperation(scope)) });
}

/** Starts an operation on instances; others may run at the same time. */
export function startOnInstances(scope: NormalScope, desired: DesiredOperation): Promise<number> {
  return step(scope, { desired, persist: expecting(scope, desired, persistInstanceOperation(scope)) });
}

/** The ports for operations. */
export function operationPorts({ context, azureTarget }: AzurePass): OperationPorts {
  return { arm: azureTarget.arm, clock: context.env.clock };
}

/** Evidence for operations on instances: a fresh list. */
function evidenceOf({ memory, azureTarget }: AzurePass): PostEvidence {
  const { location } = azureTarget;
  return instanceEvidence((scaleSetID) => memory.instances.list(scaleSetID, { maxAgeMs: 0, location }));
}

type PersistOperation = (record: Frozen<Operation> | undefined) => Promise<void>;

/**
 * Stores the record of the operation on the scale set. The intent is written before the request; the URL and the end wait for
 * the status patch at the end of the pass: if a crash loses them, a read of Azure replaces them.
 */
export function persistSetOperation({ pool, context }: Pick<Pass, "pool" | "context">): PersistOperation {
  return async (record) => {
    const { operation: _, ...rest } = pool.status ?? {};
    pool.status = record ? { ...rest, operation: record } : rest;
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
    pool.status = all.length > 0 ? { ...rest, instanceOperations: all } : rest;
    kept = record;
    if (record && record.url === undefined) await context.persistStatus();
  };
}

/** Records the expected capacity together with the intent. A different capacity later means another client resized the scale set. */
function expecting(
  { pool, memory }: NormalScope,
  desired: DesiredOperation,
  keep: PersistOperation,
): PersistOperation {
  return (record) => {
    const { externalCapacity: before, ...rest } = pool.status ?? {};
    if (record && record.url === undefined && rest.externalReplicas !== undefined) {
      const externalCapacity = capacityAfter(desired, before);
      pool.status = { ...rest, ...(externalCapacity !== undefined && { externalCapacity }) };
      memory.capacities.push(...[before, externalCapacity].filter((one) => one !== undefined));
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
  const { memory, azureTarget } = scope;
  const { scaleSetID, location } = azureTarget;
  // Reads from before a write of the set are outdated, even if the write fails.
  if (attempt.desired && attempt.desired.verb !== "POST") memory.forgetSet(scaleSetID);
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
    return refused(scope, error, (attempt.record ?? attempt.desired)?.verb === "POST");
  }
}

/** Polls long operations rarely. Only the machine's own controller waits for its instance to disappear; it learns that from the next list. */
function patienceMs({ context, pool }: NormalScope, { action, startedAt }: Frozen<Operation>): number {
  const partMs = (context.env.clock.now() - Date.parse(startedAt)) / PATIENCE;
  if (action === undefined) return partMs;
  return Math.max(partMs, Math.min(MINUTE_MS, busyListMs(pool.spec.providerIDList?.length ?? 0)));
}

function noteEnd({ memory, pool }: NormalScope, { record }: Attempt, scaleSetID: string): void {
  if (record) memory.noteEnd(record);
  // While machines are created, the pool is listed anyway.
  if (record?.action !== "delete" || !pool.status?.operation) memory.isDisturbed = true;
  if (record?.verb !== "POST") memory.forgetSet(scaleSetID);
}

function wait(scope: NormalScope, { record, desired }: Attempt, waitMs: number): number {
  const { memory, pool } = scope;
  const { operation, instanceOperations = [] } = pool.status ?? {};
  const started = desired?.verb === "POST" ? instanceOperations.at(-1) : operation;
  const followed = record ?? started;
  if (!followed) return waitMs;
  const patientMs = Math.max(waitMs, patienceMs(scope, followed));
  memory.pollBackoff.begin(followed.url, patientMs);
  if (desired && isDeletion(desired)) memory.shrink(desired.instanceIDs.length);
  return patientMs;
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
  if (outcome === "Succeeded" && verb === "PUT") scope.memory.refusal = undefined;
  if (outcome !== "Succeeded") forgetCapacity(scope);
  if (outcome !== "Failed") return;
  const failure = error ?? new AzureError({ class: "Transient", code: "Failed", message: why });
  // A failure on one instance shows in its provisioning state, which the next plan reads.
  if (isOfSet) noteRejection(scope, failure);
  recordEvents(scope, failure);
}

/** Records a rejection and returns when to retry; the rest of the pass continues. */
export function refused(scope: NormalScope, error: unknown, isOfInstances = false): number {
  if (!(error instanceof AzureError)) throw error;
  const { class: meaning, retryAfterMs } = error;
  if (meaning === "Throttled") return retryAfterMs ?? UNTOLD_WAIT_MS;
  if (meaning === "Precondition" || meaning === "Preempted" || meaning === "Gone") return DECIDE_AGAIN_MS;
  const waitMs = noteRejection(scope, error, isOfInstances);
  recordEvents(scope, error);
  return waitMs;
}

function noteRejection(scope: NormalScope, error: AzureError, isOfInstances = false): number {
  const { memory, context } = scope;
  const failure = failureOf(error, "writing the scale set") as Failure;
  const waitMs = failure.retryAfterMs ?? (failure.failure === "Terminal" ? TEN_MINUTES_MS : UNTOLD_WAIT_MS);
  if (isOfInstances) return waitMs;
  memory.refusal = {
    error: failure,
    retryAtMs: context.env.clock.monotonic() + waitMs,
    desiredStateKey: desiredStateKey(scope),
    isOfModels: MODEL_LIMIT.test(error.message),
  };
  return memory.refusal.isOfModels ? DECIDE_AGAIN_MS : waitMs;
}

/** Whether Azure has rejected the desired state because of too many models, and the retry is not due yet. */
export function isModelRefused(scope: NormalScope): boolean {
  const { refusal } = scope.memory;
  if (!refusal?.isOfModels || refusal.desiredStateKey !== desiredStateKey(scope)) return false;
  return refusal.retryAtMs > scope.context.env.clock.monotonic();
}

/**
 * Identifies the desired state: a change of it is worth another attempt after a rejection. It includes the AzureCluster, which
 * gives tags and identity, and the model hash, which changes with a restart annotation.
 */
export function desiredStateKey({ pool, owners, desired }: NormalScope): string {
  const ofOwners = owners && [poolSpecOf(owners.machinePool), owners.azureCluster.metadata.generation];
  return JSON.stringify([poolSpecOf(pool), ofOwners, desired?.hash.hash]);
}

function recordEvents({ context }: NormalScope, error: AzureError): void {
  const failure = failureOf(error, "Azure refused a change of the scale set") as Failure;
  context.event({ type: "Warning", reason: failure.reason, message: failure.message });
}
