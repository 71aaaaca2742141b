import { uuidFrom } from "@capstan/env";
import { empty, reply, type Answer } from "../arm/answer.ts";
import type { ErrorBody } from "../arm/errors.ts";
import type { Call } from "../core/call.ts";
import { nextRng, type AzureState } from "../core/azure-state.ts";
import { faultError } from "../faults/faults.ts";
import type { Operation } from "./operation.ts";

/**
 * Retry-After in seconds. Compute returned 10 s in traffic; the other providers are assumed to return the same
 * (reference/azure.md, section 7).
 */
export const RETRY_AFTER_SECONDS = 10;

/** The resource that a new operation works on. */
interface OperationStart {
  readonly resourceId: string;
  readonly location: string;
  readonly provider: string;
  readonly error?: ErrorBody | undefined;
}

/**
 * Creates a long-running operation for a call without starting it: its effects are added first. A fault may make it fail.
 */
export function newOperation(call: Call, world: AzureState, start: OperationStart): Operation {
  const error = start.error ?? faultError(call, "failedButApplied");
  const id = uuidFrom(nextRng(world, start.resourceId, `operation ${call.operation}`));
  call.notes.operationId = id;
  return {
    id,
    subscription: call.target.subscription ?? "",
    provider: start.provider,
    location: start.location,
    name: call.operation,
    resourceId: start.resourceId,
    apiVersion: call.apiVersion,
    startMs: world.nowMs,
    status: "InProgress",
    ...(error && { error }),
  };
}

/** The answer to a PUT or PATCH that runs on: the resource, and the operation's URL. */
export function acceptedWrite(
  options: { readonly call: Call; readonly world: AzureState; readonly operation: Operation },
  status: number,
  body: unknown,
): Answer {
  const { call, world, operation } = options;
  return reply(status, body, {
    "azure-asyncoperation": world.operations.urls.urlOf(operation, call.origin, "status"),
    "azure-asyncnotification": "Enabled",
    "retry-after": String(RETRY_AFTER_SECONDS),
  });
}

/** The answer to a POST or DELETE that runs on: 202 with both URLs. */
export function acceptedAction(call: Call, world: AzureState, operation: Operation): Answer {
  const { urls } = world.operations;
  return empty(202, {
    "azure-asyncoperation": urls.urlOf(operation, call.origin, "status"),
    "azure-asyncnotification": "Enabled",
    location: urls.urlOf(operation, call.origin, "result"),
    "retry-after": String(RETRY_AFTER_SECONDS),
  });
}
