import type { Frozen, JsonObject, Operation } from "@capstan/api";
import {
  advance,
  AzureError,
  type AzureErrorClass,
  DEFAULT_RETRY_AFTER_MS,
  failureOf,
  normalizedId,
  type Progress,
  type Task,
  type DesiredChange,
} from "@capstan/azure";
import { shortName } from "./decide.ts";
import type { ResourceFailure } from "./memory.ts";
import { clusterGroupOf, groupID, locationOf } from "../../../azure-cluster/spec-view.ts";
import type { Scope } from "../scope.ts";

/** The result of one attempt at several operations. */
export interface Round {
  /** When to poll again, if an operation still runs. */
  readonly retryAfterMs?: number;
  /** How many have ended. */
  readonly ended: number;
  readonly failures: readonly ResourceFailure[];
}

/** Polls each running operation once, optionally only those of one verb. */
export async function follow(scope: Scope, verb?: Operation["verb"]): Promise<Round> {
  const records = scope.ledger.records();
  const round = await roundOf(records.map((record) => ask(scope, record)));
  if (verb === undefined) return round;
  const counted = new Set(
    records.filter((record) => record.verb === verb).map(({ resourceID }) => resourceID),
  );
  return { ...round, failures: round.failures.filter(({ resourceID }) => counted.has(resourceID)) };
}

/** Throttling can requeue a cluster often; this respects the poll interval that Azure asked for. */
async function ask(scope: Scope, record: Frozen<Operation>): Promise<Step> {
  const waitMs = scope.memory.pollBackoff.leftMs(normalizedId(record.resourceID));
  return waitMs > 0 ? { retryAfterMs: waitMs } : step(scope, record.resourceID, { record });
}

/** Starts operations in parallel: the decisions of one pass do not depend on each other. */
export async function start(scope: Scope, desired: readonly DesiredChange[]): Promise<Round> {
  return roundOf(desired.map((one) => step(scope, one.resourceID, { desired: one })));
}

/** How long to wait after throttling; undefined for every other error. Throttling is not a failure: nothing was done. */
export function throttledFor(error: unknown): number | undefined {
  if (!(error instanceof AzureError) || error.class !== "Throttled") return undefined;
  return error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
}

type Step =
  | { readonly retryAfterMs: number; readonly failure?: undefined }
  | { readonly retryAfterMs?: undefined; readonly failure?: ResourceFailure };

interface Attempt {
  readonly record?: Frozen<Operation>;
  readonly desired?: DesiredChange;
}

async function step(scope: Scope, resourceID: string, { record, desired }: Attempt): Promise<Step> {
  const { arm, context, ledger, memory, plan } = scope;
  const id = normalizedId(resourceID);
  const ports = { arm, clock: context.env.clock };
  const task: Task = {
    record,
    ...(desired && { desired }),
    persist: ledger.persistOperation(resourceID),
    location: locationOf(plan),
  };
  if (desired && "body" in desired && desired.verb === "PUT") memory.sent.set(id, desired.body);
  try {
    return afterProgress(scope, resourceID, await advance(ports, task));
  } catch (error) {
    memory.sent.delete(id);
    const waitMs = throttledFor(error);
    if (waitMs !== undefined) return { retryAfterMs: waitMs };
    memory.seen.delete(id);
    if (!(error instanceof AzureError)) throw error;
    return afterError(scope, resourceID, error);
  }
}

// The resource differs from the one the decision was based on: another client wrote first, or its parent is gone.
const OUTDATED: ReadonlySet<AzureErrorClass> = new Set(["Precondition", "Preempted", "Gone"]);
// Long enough that two clients that write the same resource do not keep each other busy.
const DECIDE_AGAIN_MS = 15_000;

/** An outdated decision is not a refusal: the next pass reads the resource again and decides with it. */
function afterError(scope: Scope, resourceID: string, error: AzureError): Step {
  if (isGroupMissing(scope, resourceID, error))
    return { failure: failureAbout(scope, resourceID, withWayOut(error)) };
  if (OUTDATED.has(error.class)) return { retryAfterMs: DECIDE_AGAIN_MS };
  return { failure: failureAbout(scope, resourceID, error) };
}

/** Whether the resource is in a group of a user that does not exist: no later pass creates that one. */
function isGroupMissing({ plan }: Scope, resourceID: string, { code }: AzureError): boolean {
  const own = normalizedId(`${groupID(plan, clusterGroupOf(plan))}/`);
  return code === "ResourceGroupNotFound" && !normalizedId(resourceID).startsWith(own);
}

function withWayOut({ class: kind, code, message }: AzureError): AzureError {
  const wayOut = "create it, or correct the field that names it, such as spec.networkSpec.vnet.resourceGroup";
  return new AzureError({ class: kind, code, message: `${message.replace(/\.$/, "")}; ${wayOut}` });
}

function afterProgress(scope: Scope, resourceID: string, progress: Progress): Step {
  const { memory, context } = scope;
  const id = normalizedId(resourceID);
  if (!progress.isDone) {
    const { retryAfterMs } = progress;
    memory.pollBackoff.begin(id, retryAfterMs);
    return { retryAfterMs };
  }
  memory.pollBackoff.end(id);
  const body: JsonObject | undefined = progress.body ?? memory.sent.get(id);
  memory.sent.delete(id);
  if (progress.outcome === "Succeeded" && body) {
    memory.seen.set(id, { body, atMs: context.env.clock.monotonic(), isLiveRead: true });
    return {};
  }
  // The cached read is outdated now.
  memory.seen.delete(id);
  if (progress.outcome !== "Failed") return {};
  const error =
    progress.error ?? new AzureError({ class: "Transient", code: "Failed", message: progress.why });
  return afterError(scope, resourceID, error);
}

/** The failure, with the field of the spec that asks for the resource. */
function failureAbout({ desired }: Scope, resourceID: string, error: AzureError): ResourceFailure {
  const field = desired.find(({ id }) => normalizedId(id) === normalizedId(resourceID))?.field;
  const attempt = field === undefined ? shortName(resourceID) : `${field}: ${shortName(resourceID)}`;
  const failure = failureOf(error, attempt);
  return { resourceID, error: failure instanceof Error ? failure : error };
}

/** Waits for all attempts even if one fails, because none may continue after the pass has ended. */
async function roundOf(attempts: readonly Promise<Step>[]): Promise<Round> {
  await Promise.allSettled(attempts);
  const steps = await Promise.all(attempts);
  const waits = steps.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return {
    ended: steps.length - waits.length,
    failures: steps.flatMap(({ failure }) => failure ?? []),
    ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
  };
}
