import type { JsonObject } from "@capstan/api";
import {
  type Arm,
  type CallOptions,
  DEFAULT_RETRY_AFTER_MS,
  type WriteOptions,
  type Written,
} from "@capstan/azure";
import type { Clock } from "@capstan/env";
import { CommandError } from "../command-error.ts";

/** Where the checks run. */
export interface TrialPlace {
  /** The ARM id of the resource group. */
  readonly group: string;
  readonly location: string;
  /** The size of the machines, and another one to resize to. */
  readonly size: string;
  readonly otherSize: string;
  /** For the administrator of the machines, who never logs in. */
  readonly password: string;
}

/** A connection to Azure that waits until operations have ended. */
export interface Trial extends TrialPlace {
  put(path: string, body: JsonObject, options?: WriteOptions): Promise<Written>;
  patch(path: string, body: JsonObject): Promise<Written>;
  post(path: string, body?: JsonObject): Promise<Written>;
  remove(path: string): Promise<void>;
  get(path: string, options?: CallOptions): Promise<JsonObject>;
  list(path: string, options?: CallOptions): Promise<readonly JsonObject[]>;
  /** The headers of the last answer. */
  headers(): Readonly<Record<string, string>>;
  /** The ARM id of a resource in the group, such as `Microsoft.Compute/disks/one`. */
  id(resource: string): string;
}

/** What a trial is made of. */
export interface TrialPorts {
  readonly arm: Arm;
  readonly clock: Clock;
  readonly headers: () => Readonly<Record<string, string>>;
  /** Aborted by Ctrl-C; what was created is deleted then. */
  readonly signal: AbortSignal;
}

const POLL_MS = 5_000;
// The slowest step, the publication of an image version, takes up to twenty minutes.
const LONGEST_OPERATION_MS = 40 * 60_000;

/** Opens a trial. Its calls throw AzureErrors, also for operations that Azure accepted and that failed. */
export function createTrial(ports: TrialPorts, place: TrialPlace): Trial {
  const { arm, headers } = ports;
  const done = (written: Promise<Written>): Promise<Written> => untilEnded(ports, written);
  const { signal } = ports;
  return {
    ...place,
    put: (path, body, options = {}) => done(arm.put(path, body, { signal, ...options })),
    patch: (path, body) => done(arm.patch(path, body, { signal })),
    post: (path, body) => done(arm.post(path, body, { signal })),
    remove: async (path) => void (await done(arm.delete(path))),
    get: async (path, options = {}) => (await arm.get(path, { signal, ...options })).body,
    list: async (path, options = {}) => (await arm.list(path, { signal, ...options })).items,
    headers,
    id: (resource) => `${place.group}/providers/${resource}`,
  };
}

async function untilEnded({ arm, clock, signal }: TrialPorts, started: Promise<Written>): Promise<Written> {
  const written = await started;
  if (written.operationUrl === undefined) return written;
  const endMs = clock.monotonic() + LONGEST_OPERATION_MS;
  let waitMs = written.retryAfterMs ?? POLL_MS;
  while (clock.monotonic() < endMs) {
    await clock.sleep(Math.min(waitMs, DEFAULT_RETRY_AFTER_MS), signal);
    const status = await arm.poll(written.operationUrl);
    if (status.state === "Succeeded") return { ...written, ...(status.body && { body: status.body }) };
    if (status.state !== "InProgress") throw status.error;
    waitMs = status.retryAfterMs ?? POLL_MS;
  }
  throw new CommandError(`an operation has not ended after ${LONGEST_OPERATION_MS / 60_000} minutes`);
}
