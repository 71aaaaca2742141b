import {
  type Condition,
  formatTimestamp,
  type Frozen,
  getCondition,
  type Kind,
  type KubernetesObject,
  removeCondition,
  setCondition,
  type StandardCondition,
  type StandardConditionUpdate,
} from "@capstan/api";
import type { Env } from "@capstan/env";
import {
  conditionsOf,
  hasStandardConditions,
  withConditions,
  withStandardConditions,
} from "../reconciler/condition-lists.ts";
import { failedCondition } from "../reconciler/failed-condition.ts";
import { shortHash } from "../short-hash.ts";
import type { Cache } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import type { EventRecorder } from "../events/recorder.ts";
import { Failure } from "../failure.ts";
import type { Logger } from "../log/logger.ts";
import { Draft, isStatusRefused } from "../reconciler/draft.ts";
import { next, type Outcome } from "../reconciler/outcome.ts";
import { runPhases } from "../reconciler/phases.ts";
import type { Context, Reconciler } from "../reconciler/reconciler.ts";
import { clusterOf, pausedBecause } from "./pause.ts";

export interface PassOptions {
  readonly reconciler: Reconciler;
  readonly client: Client;
  readonly cache: Cache;
  readonly env: Env;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly assertMayWrite: () => void;
  readonly watch: (kind: Kind) => boolean;
}

/** The result of a pass: when to requeue, or the error. */
export type PassResult =
  | { readonly type: "settled" }
  | { readonly type: "requeue"; readonly afterMs: number; readonly reason: string }
  | { readonly type: "failed"; readonly failure: Failure }
  | { readonly type: "bug"; readonly error: unknown; readonly id: string };

/** A pass over one object. */
interface Pass {
  readonly draft: Draft<KubernetesObject>;
  /** What the reconciler works on; undefined until it has it. */
  scope?: unknown;
}

/** Runs the phases of a reconciler over one object and reports the result. */
export async function runPass(options: PassOptions, stored: Frozen<KubernetesObject>): Promise<PassResult> {
  const draft = new Draft(options.reconciler.for, options.client, stored);
  const mayPause = options.reconciler.obeysPause ?? true;
  const paused = mayPause ? pausedBecause(stored, clusterOf(stored, options.cache)) : undefined;
  const pass: Pass = { draft };
  const result = await attempt(() => (paused ? reportPaused(options, draft, paused) : work(options, pass)));
  if (result.type === "settled" || result.type === "requeue" || isOutdated(result)) return result;
  if (draft.isRefused) return result;
  // The status must report the failure of the pass; if that write fails too, the first failure is returned.
  const report = await persistFailure(options, pass, result);
  // A Retry-After of the server is respected, with any result.
  return waitOf(report) > waitOf(result) ? report : result;
}

/** Writes the status with the failure; if the server refuses that status, the stored one with the failure. */
async function persistFailure(options: PassOptions, pass: Pass, result: PassResult): Promise<PassResult> {
  const { draft } = pass;
  const write = (report: () => void): Promise<PassResult> =>
    attempt(async () => {
      reportFailure(options, draft, result);
      report();
      await draft.persistLastStatus();
      return { type: "settled" };
    });
  const whole = hasRefusedStatus(result)
    ? result
    : await write(() => reportStandardConditions(options, pass));
  if (!hasRefusedStatus(whole)) return whole;
  options.log.error("The server refused a status; only the failure is reported", { error: whole.failure });
  draft.discardStatus();
  return write(() => undefined);
}

function hasRefusedStatus(result: PassResult): result is PassResult & { readonly type: "failed" } {
  return result.type === "failed" && isStatusRefused(result.failure);
}

/** The Retry-After in a result. */
function waitOf(result: PassResult): number {
  const hasRetryAfter = result.type === "failed" && result.failure.failure === "Transient";
  return hasRetryAfter ? (result.failure.retryAfterMs ?? 0) : 0;
}

/** The pass decided on an outdated state, so its status would be outdated too. */
function isOutdated(result: PassResult): boolean {
  return (
    result.type === "failed" &&
    (result.failure.failure === "NotFound" || result.failure.failure === "Conflict")
  );
}

async function work(options: PassOptions, pass: Pass): Promise<PassResult> {
  const { reconciler } = options;
  const { draft } = pass;
  const deleting = draft.object.metadata.deletionTimestamp !== undefined;
  if (deleting && !holdsFinalizer(reconciler, draft.object)) return { type: "settled" };
  if (!deleting) await ensureFinalizer(reconciler, draft);
  const scope = await reconciler.scope(contextOf(options, draft));
  pass.scope = scope;
  const { always = [], normal, deleting: whenDeleting = [] } = reconciler;
  try {
    const outcome = await runPhases([...always, ...(deleting ? whenDeleting : normal)], scope);
    reportResumed(options, draft);
    clearFailure(options, draft);
    if (!claimsReady(reconciler, scope, outcome)) reportOutcome(options, draft, { outcome, deleting });
    reportStandardConditions(options, pass);
    return await finish(reconciler, draft, { outcome, deleting });
  } catch (error) {
    reportResumed(options, draft);
    reportStatus(options, scope);
    throw error;
  }
}

/** Lets the reconciler report the pass; returns whether it reports Ready itself. */
function claimsReady(reconciler: Reconciler, scope: unknown, outcome: Outcome): boolean {
  let isClaimed = false;
  const claimReady = (): void => {
    isClaimed = true;
  };
  reconciler.status?.(scope, { settled: outcome.type === "next", claimReady });
  return isClaimed;
}

/** The status after a failure. Observations of skipped phases may be missing, so an exception here must not hide the failure. */
function reportStatus({ reconciler, log }: PassOptions, scope: unknown): void {
  try {
    reconciler.status?.(scope, { settled: false, claimReady: () => undefined });
  } catch (error) {
    log.error("Bug in a status after a failed pass", { error });
  }
}

interface Ending {
  readonly outcome: Outcome;
  readonly deleting: boolean;
}

/** Writes the results; at the end of a deletion, removes the finalizer instead. */
async function finish(
  reconciler: Reconciler,
  draft: Draft<KubernetesObject>,
  { outcome, deleting }: Ending,
): Promise<PassResult> {
  if (deleting && outcome.type === "next") {
    draft.object.metadata.finalizers = (draft.object.metadata.finalizers ?? []).filter(
      (name) => name !== reconciler.finalizer,
    );
    await draft.persistObject();
    return { type: "settled" };
  }
  const { generation } = draft.object.metadata;
  await draft.persistObject();
  observeOwnSpec(draft.object, generation);
  await draft.persistLastStatus();
  return resultOfOutcome(outcome);
}

function resultOfOutcome(outcome: Outcome): PassResult {
  return outcome.type === "next"
    ? { type: "settled" }
    : { type: "requeue", afterMs: outcome.afterMs, reason: outcome.reason };
}

/** A spec that only this pass has changed since it was read counts as observed. */
function observeOwnSpec({ metadata, status }: WithObservation, before: number | undefined): void {
  const { generation } = metadata;
  if (status && before !== undefined && status.observedGeneration === before)
    status.observedGeneration = generation ?? before;
}

function contextOf(options: PassOptions, draft: Draft<KubernetesObject>): Context<KubernetesObject> {
  const { client, cache, env, log, events, assertMayWrite, watch } = options;
  return {
    object: draft.object,
    client,
    cache,
    env,
    log,
    assertMayWrite,
    watch,
    setCondition: (condition) => setConditionOf(options, draft, condition),
    event: (note) => events.record(draft.stored, note),
    persistStatus: (strictness) => draft.persistStatus(strictness),
  };
}

function holdsFinalizer({ finalizer }: Reconciler, object: Frozen<KubernetesObject>): boolean {
  return finalizer !== undefined && (object.metadata.finalizers ?? []).includes(finalizer);
}

/** The finalizer is on the server before a phase creates anything that needs a cleanup. */
async function ensureFinalizer(reconciler: Reconciler, draft: Draft<KubernetesObject>): Promise<void> {
  const { finalizer } = reconciler;
  if (finalizer === undefined) return;
  const isNeeded = reconciler.needsFinalizer?.(draft.stored) ?? true;
  if (isNeeded === holdsFinalizer(reconciler, draft.object)) return;
  const others = (draft.object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  draft.object.metadata.finalizers = isNeeded ? [...others, finalizer] : others;
  await draft.persistObject();
}

async function reportPaused(
  options: PassOptions,
  draft: Draft<KubernetesObject>,
  why: string,
): Promise<PassResult> {
  setConditionOf(options, draft, {
    type: "Paused",
    status: "True",
    reason: "Paused",
    message: pauseMessage(why),
  });
  reportPauseOf(options, draft, why);
  const { reconciler } = options;
  const { whilePaused = [] } = reconciler;
  const outcome =
    whilePaused.length === 0
      ? next
      : await runPhases(whilePaused, await reconciler.scope(contextOf(options, draft)));
  await draft.persistLastStatus();
  return resultOfOutcome(outcome);
}

function reportResumed(options: PassOptions, draft: Draft<KubernetesObject>): void {
  const { for: kind, alwaysReportsPaused = false } = options.reconciler;
  if (alwaysReportsPaused || getCondition(conditionsOf(kind, draft.object), "Paused")) {
    setConditionOf(options, draft, { type: "Paused", status: "False", reason: "NotPaused" });
  }
  if (options.reconciler.obeysPause ?? true) reportPauseOf(options, draft, undefined);
}

function reportOutcome(
  options: PassOptions,
  draft: Draft<KubernetesObject>,
  { outcome, deleting }: Ending,
): void {
  const type = options.reconciler.condition ?? "Ready";
  if (outcome.type !== "next")
    setConditionOf(options, draft, { type, status: "False", severity: "Info", reason: outcome.reason });
  else if (!deleting) setConditionOf(options, draft, { type, status: "True", reason: "Reconciled" });
}

function reportFailure(options: PassOptions, draft: Draft<KubernetesObject>, result: PassResult): void {
  const type = options.reconciler.condition ?? "Ready";
  if (result.type === "bug") {
    const message = `Capstan hit a bug and retries; look for ${result.id} in its log`;
    const condition = { status: "Unknown", reason: "InternalError", message } as const;
    setConditionOf(options, draft, { type, ...condition });
    setStandardConditions(options, draft, [{ type: RECONCILED, ...condition }]);
    return;
  }
  if (result.type !== "failed" || isUntouched(options, draft)) return;
  setConditionOf(options, draft, failedCondition(type, result.failure));
  const { reason, message } = result.failure;
  setStandardConditions(options, draft, [{ type: RECONCILED, status: "False", reason, message }]);
}

/** Nothing on this object is the reconciler's: a condition about a failed pass would stay on it for ever. */
function isUntouched({ reconciler }: PassOptions, { stored }: Draft<KubernetesObject>): boolean {
  const { finalizer } = reconciler;
  const hasFinalizer = finalizer !== undefined && stored.metadata.finalizers?.includes(finalizer) === true;
  return !hasFinalizer && reconciler.needsFinalizer?.(stored) === false;
}

interface WithObservation {
  readonly metadata: { readonly generation?: number };
  status?: { observedGeneration?: number };
}

/** Kinds without conditions, such as ConfigMap, are reported by events alone. */
function setConditionOf(
  options: PassOptions,
  draft: Draft<KubernetesObject>,
  condition: Omit<Condition, "lastTransitionTime">,
): void {
  if (!options.reconciler.for.subresources.includes("status")) return;
  const object = draft.object as { status?: object };
  const timed = { ...condition, lastTransitionTime: formatTimestamp(options.env.clock.now()) };
  const kind = options.reconciler.for;
  const before = conditionsOf(kind, draft.object);
  const conditions = setCondition(before, timed);
  if (conditions !== before) object.status = withConditions(kind, object.status, conditions);
}

/** Reports in the form of v1beta2 whether the object is paused; kinds of v1beta1 report it only while and after they are. */
function reportPauseOf(options: PassOptions, draft: Draft<KubernetesObject>, why: string | undefined): void {
  setStandardConditions(options, draft, [
    why === undefined
      ? { type: "Paused", status: "False", reason: "NotPaused", message: "" }
      : { type: "Paused", status: "True", reason: "Paused", message: pauseMessage(why) },
  ]);
}

/** The conditions of v1beta2 follow what the pass has reported. */
function reportStandardConditions(options: PassOptions, { draft, scope }: Pass): void {
  const { reconciler, log } = options;
  try {
    setStandardConditions(options, draft, reconciler.standardConditions?.(draft.object, scope) ?? []);
  } catch (error) {
    // After a failure, observations of skipped phases may be missing; the failure itself must be reported.
    log.error("Bug in the conditions of a pass", { error });
  }
}

/** A condition of v1beta2 that Capstan adds to Cluster API's: it exists only while a pass cannot do its work, and says why. */
const RECONCILED = "Reconciled";

function clearFailure(options: PassOptions, draft: Draft<KubernetesObject>): void {
  if (!hasStandardConditions(options.reconciler.for)) return;
  const object = draft.object as WithStandardConditions;
  const { conditions } = object.status ?? {};
  const kept = removeCondition(conditions, RECONCILED);
  if (conditions && kept !== conditions) object.status = { ...object.status, conditions: kept };
}

interface WithStandardConditions {
  status?: { conditions?: readonly StandardCondition[] };
}

function setStandardConditions(
  { reconciler, env }: PassOptions,
  draft: Draft<KubernetesObject>,
  updates: readonly StandardConditionUpdate[],
): void {
  if (!hasStandardConditions(reconciler.for)) return;
  const object = draft.object as WithStandardConditions;
  const conditions = withStandardConditions(object.status?.conditions, updates, env.clock.now());
  if (conditions !== object.status?.conditions) object.status = { ...object.status, conditions };
}

function pauseMessage(why: string): string {
  return `Nothing is done because ${why}`;
}

/** Converts an exception to a result; any exception but a Failure is a bug. */
async function attempt(run: () => Promise<PassResult>): Promise<PassResult> {
  try {
    return await run();
  } catch (error) {
    return resultOf(error);
  }
}

/** The result of a pass that ended with this error. */
export function resultOf(error: unknown): PassResult {
  if (error instanceof Failure) return { type: "failed", failure: error };
  return { type: "bug", error, id: bugId(error) };
}

const BUG_ID_LENGTH = 8;

/** The same bug has the same id each time, so that the log can be searched and the status does not change with each retry. */
function bugId(error: unknown): string {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return shortHash(trace, BUG_ID_LENGTH);
}
