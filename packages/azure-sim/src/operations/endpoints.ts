import { type Answer, empty, reply } from "../arm/answer.ts";
import { ArmError } from "../arm/errors.ts";
import type { Call } from "../core/call.ts";
import type { Effect, AzureState } from "../core/azure-state.ts";
import { textAt } from "../json.ts";
import type { ResourceType, Verb } from "../resources/resource-type.ts";
import type { Operation } from "./operation.ts";
import { END_OPERATION, FORGET_OPERATION } from "./operations.ts";
import { RETRY_AFTER_SECONDS } from "./start.ts";

const WAIT = { "retry-after": String(RETRY_AFTER_SECONDS) };

function foundOperation(call: Call, world: AzureState, id: string): Operation {
  const verdict = world.operations.urls.check(id, call.query);
  if (verdict === "cut") {
    throw new ArmError(400, {
      code: "InvalidParameter",
      message:
        "The address of the operation is incomplete: its signature (t, c, s, h) is missing. Keep the whole URL, about 4 KB of it.",
      target: "operationUrl",
    });
  }
  const operation = verdict === "ours" ? world.operations.get(id) : undefined;
  if (!operation || operation.subscription.toLowerCase() !== call.target.subscription?.toLowerCase()) {
    throw new ArmError(404, { code: "OperationNotFound", message: `The operation '${id}' was not found.` });
  }
  return operation;
}

/** The status of an operation in the words of its provider. */
function statusAnswer(operation: Operation): Answer {
  const { status, error, startMs, endMs, id, provider } = operation;
  const isRunning = status === "InProgress";
  const failure = isRunning || !error ? {} : { error };
  const times = {
    startTime: new Date(startMs).toISOString(),
    ...(endMs !== undefined && { endTime: new Date(endMs).toISOString() }),
  };
  // Network returns the status alone.
  const body =
    provider === "Microsoft.Compute" ? { ...times, status, name: id, ...failure } : { status, ...failure };
  return reply(200, body, isRunning ? WAIT : {});
}

/** The result of an operation: 202 until it has ended, then the short answer of the real services. */
function resultAnswer(call: Call, world: AzureState, operation: Operation): Answer {
  const { status, error } = operation;
  if (status === "InProgress") {
    return empty(202, { ...WAIT, location: world.operations.urls.urlOf(operation, call.origin, "result") });
  }
  if (error && status !== "Succeeded") throw new ArmError(409, error);
  return empty(operation.provider === "Microsoft.Network" ? 204 : 200);
}

const getStatus: Verb = (call, world) => {
  const operation = foundOperation(call, world, call.target.names[1] ?? "");
  return call.query.get("monitor") === "true"
    ? resultAnswer(call, world, operation)
    : statusAnswer(operation);
};

const getResult: Verb = (call, world) =>
  resultAnswer(call, world, foundOperation(call, world, call.target.names[1] ?? ""));

/** The result of deleting a group, at its own address. */
export const getGroupResult: Verb = (call, world) =>
  resultAnswer(call, world, foundOperation(call, world, call.target.rest[1] ?? ""));

const endOperation: Effect = (world, args) => world.operations.end(textAt(args, "id") ?? "", world.nowMs);
const forgetOperation: Effect = (world, args) => world.operations.forget(textAt(args, "id") ?? "");

/** The endpoints where callers poll operations. */
export const operationTypes: readonly ResourceType[] = [
  {
    provider: "Microsoft.Compute",
    type: "locations/operations",
    get: getStatus,
    isInSubscription: true,
    effects: { [END_OPERATION]: endOperation, [FORGET_OPERATION]: forgetOperation },
  },
  ...["Microsoft.Network", "Microsoft.ContainerService"].flatMap((provider): ResourceType[] => [
    { provider, type: "locations/operations", get: getStatus, isInSubscription: true },
    { provider, type: "locations/operationResults", get: getResult, isInSubscription: true },
  ]),
];
