import type { Frozen, Operation } from "@capstan/api";
import { failureOf } from "../../azure/failure.ts";
import { advance, type Progress, type Task } from "../../azure/operations/operations.ts";
import type { WantedChange } from "../../azure/operations/wanted.ts";
import { AzureError, type AzureErrorClass, type JsonObject } from "../../azure/port.ts";
import { shortName } from "./decide.ts";
import { normalizedId } from "../../azure/normalized-id.ts";
import type { ResourceFailure } from "./memory.ts";
import { locationOf } from "../../azure-cluster/spec-view.ts";
import type { Scope } from "./scope.ts";

/** How far a number of operations have come. */
export interface Round {
  /** When to ask again, where something is still under way. */
  readonly retryAfterMs?: number;
  /** How many have ended. */
  readonly ended: number;
  readonly failures: readonly ResourceFailure[];
}

/** Asks once how each operation that is under way is doing; what became of those with another verb may not matter. */
export async function follow(scope: Scope, verb?: Operation["verb"]): Promise<Round> {
  const records = scope.ledger.records();
  const round = await roundOf(records.map((record) => ask(scope, record)));
  if (verb === undefined) return round;
  const counted = new Set(
    records.filter((record) => record.verb === verb).map(({ resourceID }) => resourceID),
  );
  return { ...round, failures: round.failures.filter(({ resourceID }) => counted.has(resourceID)) };
}

/** Scarce requests bring a cluster back every moment; Azure is asked no more often than it wants to be. */
async function ask(scope: Scope, record: Frozen<Operation>): Promise<Step> {
  const waitMs = scope.memory.pollBackoff.leftMs(normalizedId(record.resourceID));
  return waitMs > 0 ? { retryAfterMs: waitMs } : step(scope, record.resourceID, { record });
}

/** Starts operations, all at once: nothing in a row of decisions depends on another one in it. */
export async function start(scope: Scope, wanted: readonly WantedChange[]): Promise<Round> {
  return roundOf(wanted.map((one) => step(scope, one.resourceID, { wanted: one })));
}

// What CAPZ waits when Azure does not say how long.
const UNTOLD_WAIT_MS = 60_000;

/** How long to wait where requests are scarce; undefined for every other error. It is no failure: nothing was done. */
export function throttledFor(error: unknown): number | undefined {
  if (!(error instanceof AzureError) || error.class !== "Throttled") return undefined;
  return error.retryAfterMs ?? UNTOLD_WAIT_MS;
}

type Step =
  | { readonly retryAfterMs: number; readonly failure?: undefined }
  | { readonly retryAfterMs?: undefined; readonly failure?: ResourceFailure };

interface Attempt {
  readonly record?: Frozen<Operation>;
  readonly wanted?: WantedChange;
}

async function step(scope: Scope, resourceID: string, { record, wanted }: Attempt): Promise<Step> {
  const { arm, context, ledger, memory, plan } = scope;
  const id = normalizedId(resourceID);
  const ports = { arm, clock: context.env.clock };
  const task: Task = {
    record,
    ...(wanted && { wanted }),
    persist: ledger.persistOperation(resourceID),
    location: locationOf(plan),
  };
  if (wanted && "body" in wanted && wanted.verb === "PUT") memory.sent.set(id, wanted.body);
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

// Azure has something else than what was decided on: somebody wrote first, or what it belongs to has gone.
const OUTDATED: ReadonlySet<AzureErrorClass> = new Set(["Precondition", "Preempted", "Gone"]);
// Long enough that two who write the same resource in turns do not make each other busy.
const DECIDE_AGAIN_MS = 15_000;

/** A decision on the past is no refusal: whoever looks again decides otherwise. */
function afterError(scope: Scope, resourceID: string, error: AzureError): Step {
  if (OUTDATED.has(error.class)) return { retryAfterMs: DECIDE_AGAIN_MS };
  return { failure: failureAbout(scope, resourceID, error) };
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
  // Whatever it is now has to be looked at.
  memory.seen.delete(id);
  if (progress.outcome !== "Failed") return {};
  const error =
    progress.error ?? new AzureError({ class: "Transient", code: "Failed", message: progress.why });
  return afterError(scope, resourceID, error);
}

/** Says what failed with the field of the spec that asks for it. */
function failureAbout({ wanted }: Scope, resourceID: string, error: AzureError): ResourceFailure {
  const field = wanted.find(({ id }) => normalizedId(id) === normalizedId(resourceID))?.field;
  const attempt = field === undefined ? shortName(resourceID) : `${field}: ${shortName(resourceID)}`;
  const failure = failureOf(error, attempt);
  return { resourceID, error: failure instanceof Error ? failure : error };
}

/** Waits for all of them, also when one breaks: none may go on behind the back of a pass that has ended. */
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
