import {
  formatTimestamp,
  type Frozen,
  HASH_TAG,
  isJsonObject,
  type JsonObject,
  type Operation,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import { type Arm, AzureError, type CallOptions, isGone, type WriteOptions, type Written } from "../port.ts";
import { covers } from "./covers.ts";
import { isFinal, nextStep, type Observed, type OperationOutcome, type Step } from "./decide.ts";
import type { PostEvidence } from "./evidence.ts";
import {
  bodyToSend,
  type DesiredChange,
  type DesiredOperation,
  hashOf,
  postBody,
} from "./desired-operation.ts";

/** The ports for operations. */
export interface OperationPorts {
  readonly arm: Arm;
  readonly clock: Clock;
}

/** One operation of one object, from its intent to its end. */
export type Task = {
  /** The running operation by the object's status. */
  readonly record?: Frozen<Operation> | undefined;
  /** Writes the record to the object's status, or removes it. An intent, which has no URL yet, is durable when this resolves. */
  readonly persist: (record: Frozen<Operation> | undefined) => Promise<void>;
  /** The region; Azure's throttling counts requests by region. */
  readonly location?: string;
} & (
  | {
      /** The write to start, once the running one has ended. */
      readonly desired?: DesiredOperation;
      /** Finds out after a crash whether a POST was done. */
      readonly evidence: PostEvidence;
    }
  /** An object that never sends a POST needs no evidence. */
  | { readonly desired?: DesiredChange; readonly evidence?: undefined }
);

/** The state of an operation after this pass. */
export type Progress = { readonly why: string } & (
  | { readonly isDone: false; readonly retryAfterMs: number; readonly error?: AzureError }
  | {
      readonly isDone: true;
      readonly outcome: OperationOutcome;
      readonly error?: AzureError;
      readonly body?: JsonObject;
    }
);

// A pass needs at most a poll, a read and a request.
const MOST_STEPS = 4;
const OPERATION_POLL_MS = 15_000;
/** The size limit of a record in a status: the URL of an operation alone has about 4 KB. */
export const MOST_RECORD_BYTES = 5 * 1024;

/** Advances an operation as far as one pass allows. Throws Azure's error if Azure rejects the write; nothing runs then. */
export async function advance(ports: OperationPorts, task: Task): Promise<Progress> {
  const { record, persist } = task;
  let observed: Observed = { kind: "nothing" };
  for (let count = 0; count < MOST_STEPS; count++) {
    const step: Step = nextStep(record, observed, ports.clock.now());
    switch (step.do) {
      case "poll":
        observed = await poll(ports, step.url, task);
        break;
      case "look":
        observed = await look(ports, task);
        break;
      case "send":
        return send(ports, task, step.why);
      case "wait":
        return { isDone: false, retryAfterMs: step.retryAfterMs, why: step.why, ...errorIn(step) };
      case "finish":
        await persist(undefined);
        return { isDone: true, outcome: step.outcome, why: step.why, ...errorIn(step) };
    }
  }
  throw new Error("an operation did not come to a decision");
}

function errorIn({ error }: { readonly error?: AzureError }): { readonly error?: AzureError } {
  return error ? { error } : {};
}

function locationIn({ location }: Task): CallOptions {
  return location === undefined ? {} : { location };
}

async function poll({ arm }: OperationPorts, url: string, task: Task): Promise<Observed> {
  try {
    return { kind: "poll", status: await arm.poll(url, locationIn(task)) };
  } catch (error) {
    if (error instanceof AzureError) return { kind: "pollFailed", error };
    throw error;
  }
}

/** Reads what the operation would have changed. */
async function look(ports: OperationPorts, task: Task): Promise<Observed> {
  const { record, desired } = task;
  if (!record) return { kind: "nothing" };
  if (record.verb === "POST") return { kind: "post", evidence: await evidenceFor(task)(record) };
  try {
    const { body } = await ports.arm.get(record.resourceID, locationIn(task));
    const hasArrived = hashIn(body) === record.hash || isCovered(body, record, desired);
    return { kind: "resource", hasArrived, provisioningState: provisioningStateOf(body) };
  } catch (error) {
    if (isGone(error)) return { kind: "absent" };
    throw error;
  }
}

function evidenceFor({ evidence }: Task): PostEvidence {
  if (!evidence) throw new TypeError("the record of a POST is followed without evidence");
  return evidence;
}

function hashIn(body: JsonObject): unknown {
  const tags = body["tags"];
  return isJsonObject(tags) ? tags[HASH_TAG] : undefined;
}

/** A resource without tags is compared field by field, if the desired state is still the same. */
function isCovered(
  body: JsonObject,
  record: Frozen<Operation>,
  desired: DesiredOperation | undefined,
): boolean {
  const isComparable = desired && "hasNoTags" in desired && desired.hasNoTags && isSame(record, desired);
  return isComparable === true && covers(body, desired.body);
}

function provisioningStateOf(body: JsonObject): string {
  const properties = body["properties"];
  const state = isJsonObject(properties) ? properties["provisioningState"] : undefined;
  return typeof state === "string" ? state : "";
}

/** Stores the intent, sends the request, stores the URL: each step is durable before the next. */
async function send(ports: OperationPorts, task: Task, why: string): Promise<Progress> {
  const { record, desired, persist } = task;
  if (!desired || (record && !isSame(record, desired))) {
    await persist(undefined);
    return { isDone: true, outcome: "Superseded", why: `${why}, and something else is wanted now` };
  }
  const intent = intentOf(desired, ports.clock);
  let isWritten = false;
  const beforeSending = async (): Promise<void> => {
    await persist(intent);
    isWritten = true;
  };
  let written: Written;
  try {
    written = await request(ports.arm, desired, { ...locationIn(task), beforeSending });
  } catch (error) {
    // If the client-side budget held the request back, nothing was sent or stored.
    if (!isWritten) throw error;
    return afterRefusal(error, persist);
  }
  return afterAnswer(written, intent, persist);
}

/** A rejected write has had no effect; one without an answer may have had, and the next pass finds out. */
async function afterRefusal(error: unknown, persist: Task["persist"]): Promise<Progress> {
  if (!(error instanceof AzureError)) throw error;
  if (!error.isOutcomeUnknown) {
    await persist(undefined);
    throw error;
  }
  const retryAfterMs = error.retryAfterMs ?? OPERATION_POLL_MS;
  return { isDone: false, retryAfterMs, error, why: `no answer says whether it was done (${error.code})` };
}

async function afterAnswer(
  written: Written,
  intent: Frozen<Operation>,
  persist: Task["persist"],
): Promise<Progress> {
  const { operationUrl, body, retryAfterMs = OPERATION_POLL_MS } = written;
  if (operationUrl !== undefined) {
    await persist(withUrl(intent, operationUrl));
    return { isDone: false, retryAfterMs, why: "Azure has accepted it" };
  }
  const state = body ? provisioningStateOf(body) : "";
  // Microsoft.Network sometimes sends no URL; then the resource itself is read.
  if (!isFinal(state)) return { isDone: false, retryAfterMs, why: `the resource is ${state}` };
  await persist(undefined);
  const outcome = state === "Failed" || state === "Canceled" ? "Failed" : "Succeeded";
  return { isDone: true, outcome, why: "Azure did it at once", ...(body && { body }) };
}

function request(arm: Arm, desired: DesiredOperation, options: WriteOptions): Promise<Written> {
  switch (desired.verb) {
    case "PUT":
      return arm.put(desired.resourceID, bodyToSend(desired), { ...options, ...conditionsOf(desired) });
    case "PATCH":
      return arm.patch(desired.resourceID, bodyToSend(desired), { ...options, ...conditionsOf(desired) });
    case "DELETE":
      return arm.delete(desired.resourceID, { ...options, ...conditionsOf(desired) });
    case "POST": {
      const { resourceID, action, instanceIDs = [], priority = "normal" } = desired;
      const costs = { instances: instanceIDs.length, priority };
      return arm.post(`${resourceID}/${action}`, postBody(desired), { ...options, ...costs });
    }
  }
}

/** The cost of a write for the budget, and its preconditions. */
function conditionsOf(desired: DesiredChange): WriteOptions {
  const { etag, instances = 0 } = desired;
  if (etag !== undefined) return { instances, ifMatch: etag };
  return { instances, ...("isNew" in desired && desired.isNew && { ifNoneMatch: "*" }) };
}

function isSame(record: Frozen<Operation>, desired: DesiredOperation): boolean {
  return (
    record.verb === desired.verb &&
    record.resourceID === desired.resourceID &&
    record.hash === hashOf(desired)
  );
}

function intentOf(desired: DesiredOperation, clock: Clock): Operation {
  const hash = hashOf(desired);
  const intent: Operation = {
    verb: desired.verb,
    resourceID: desired.resourceID,
    startedAt: formatTimestamp(clock.now()),
    ...(hash !== undefined && { hash }),
    ...("etag" in desired && desired.etag !== undefined && { etag: desired.etag }),
    ...(desired.verb === "POST" && { action: desired.action }),
    ...("instanceIDs" in desired && desired.instanceIDs && { instanceIDs: [...desired.instanceIDs] }),
  };
  const bytes = sizeOf(intent);
  if (bytes <= MOST_RECORD_BYTES) return intent;
  throw new RangeError(
    `an intent of ${bytes} bytes is more than ${MOST_RECORD_BYTES}: make batches of instances`,
  );
}

/** A URL that is too long for the status is dropped: the resource can be read instead. */
function withUrl(intent: Frozen<Operation>, url: string): Frozen<Operation> {
  const followed = { ...intent, url };
  return sizeOf(followed) <= MOST_RECORD_BYTES ? followed : intent;
}

function sizeOf(record: Frozen<Operation>): number {
  return Buffer.byteLength(JSON.stringify(record));
}
