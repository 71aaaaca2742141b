import type { Frozen, JsonObject, Operation } from "@capstan/api";
import { block, Failure, next, type Outcome } from "@capstan/runtime";
import {
  advance,
  AzureError,
  failureOf,
  isGone,
  type ListRequest,
  type Progress,
  type Task,
  type DesiredChange,
  withOperationStates,
} from "@capstan/azure";
import { clusterGroupOf, groupID, locationOf } from "../../azure-cluster/spec-view.ts";
import { machineID } from "./bodies.ts";
import { provisioningStateOf } from "./decide.ts";
import { type AzurePass, blocked, INTERFACES_READY, type NormalScope, VM_RUNNING } from "./scope.ts";

/** The reason while Azure works, or answers later: one for all steps, because each change of it is a write. */
export const WAITING_FOR_AZURE = "WaitingForAzure";
// A longer wait is reported with Azure's message.
const LONGEST_QUIET_MS = 60_000;

/** Reads a resource; undefined when it does not exist. */
export async function read({ azure, facts }: AzurePass, id: string): Promise<JsonObject | undefined> {
  try {
    return (await azure.arm.get(id, { location: locationOf(facts.plan) })).body;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw failureOf(error, `reading ${nameOf(id)}`);
  }
}

/** The name of a resource, for messages. */
export function nameOf(id: string): string {
  return id.split("/").slice(-2).join("/");
}

/** Follows the running operation to its end; the phases after it see Azure as the operation left it. */
export async function followOperation(scope: NormalScope): Promise<Outcome> {
  const { machine } = scope;
  const record = machine.status?.operation;
  if (!record) return next;
  const listed = await lookUpInList(scope, record);
  if (listed) return listed;
  const progress = await step(scope, {});
  if (typeof progress === "number") return block(progress, WAITING_FOR_AZURE);
  if (progress.isDone && progress.outcome === "Failed" && progress.error)
    throw failedWrite(scope, record.resourceID, progress.error);
  if (progress.isDone && progress.outcome === "Succeeded") scope.written = record.resourceID;
  return next;
}

function failedWrite({ context }: NormalScope, resourceID: string, error: AzureError): unknown {
  const isInterface = resourceID.toLowerCase().includes("/networkinterfaces/");
  const failure = failureOf(error, `creating ${nameOf(resourceID)}`);
  return blocked(context, failure, isInterface ? INTERFACES_READY : VM_RUNNING);
}

// So many polls cost more than a list of all machines of a group.
const MANY_OPERATIONS = 10;
const LIST_AGE_MS = 10_000;

/**
 * While Azure creates many virtual machines, one list of their group tells the state of all of them. Undefined when the operation
 * itself must be polled: only its answer says why a creation failed.
 */
async function lookUpInList(
  scope: NormalScope,
  { verb, url, resourceID }: Frozen<Operation>,
): Promise<Outcome | undefined> {
  const { shared, machine, facts } = scope;
  const isCreation = verb === "PUT" && url !== undefined && resourceID === machineID(facts);
  if (!isCreation || shared.pollBackoff.size < MANY_OPERATIONS) return undefined;
  const waitMs = shared.pollBackoff.leftMs(url);
  if (waitMs > 0) return block(waitMs, WAITING_FOR_AZURE);
  const body = await findInList(scope, { maxAgeMs: LIST_AGE_MS, priority: "urgent" });
  const state = body && provisioningStateOf(body);
  if (state === "Creating") {
    shared.pollBackoff.begin(url, LIST_AGE_MS);
    return block(LIST_AGE_MS, WAITING_FOR_AZURE);
  }
  if (state !== "Succeeded") return undefined;
  shared.pollBackoff.end(url);
  const { operation: _, ...rest } = machine.status ?? {};
  machine.status = withOperationStates(rest);
  scope.written = resourceID;
  return next;
}

/** The virtual machine in the shared list of its group; undefined when the list does not have it. */
export async function findInList(
  { shared, azure, facts }: NormalScope,
  freshness: Pick<ListRequest, "maxAgeMs" | "priority"> = {},
): Promise<JsonObject | undefined> {
  const groupOfCluster = groupID(facts.plan, clusterGroupOf(facts.plan));
  const request = { arm: azure.arm, groupID: groupOfCluster, location: locationOf(facts.plan), ...freshness };
  try {
    return await shared.lists.find(request, machineID(facts));
  } catch (error) {
    throw failureOf(error, "listing the virtual machines of the resource group");
  }
}

/**
 * Runs a phase that reads from Azure. While Azure or the budget holds a read back, the machine waits and reports nothing new: with
 * many machines every retry of each of them would be a write.
 */
export function untilAzureAnswers(phase: (scope: NormalScope) => Promise<Outcome>): typeof phase {
  const quiet: typeof phase = async (scope) => {
    try {
      return await phase(scope);
    } catch (error) {
      const waitMs = shortWaitMs(error);
      if (waitMs === undefined) throw error;
      return block(waitMs, WAITING_FOR_AZURE);
    }
  };
  return Object.defineProperty(quiet, "name", { value: phase.name });
}

function shortWaitMs(error: unknown): number | undefined {
  if (!(error instanceof Failure) || !(error.cause instanceof AzureError)) return undefined;
  const { retryAfterMs = Infinity, cause } = error;
  return cause.class === "Throttled" && retryAfterMs <= LONGEST_QUIET_MS ? retryAfterMs : undefined;
}

/** Starts a write. Returns when to come back, or how it ended at once. */
export async function start(scope: AzurePass, desired: DesiredChange): Promise<number | Progress> {
  return step(scope, { desired });
}

/** Advances the recorded operation, or starts one; a number says when to poll it. */
export async function step(
  scope: AzurePass,
  { desired }: { readonly desired?: DesiredChange },
): Promise<number | Progress> {
  const { shared, machine, azure, context, facts } = scope;
  const { pollBackoff } = shared;
  const record = machine.status?.operation;
  const waitMs = pollBackoff.leftMs(record?.url);
  if (waitMs > 0) return waitMs;
  const task: Task = {
    record,
    ...(desired && { desired }),
    persist: persistOperation(scope),
    location: locationOf(facts.plan),
  };
  const progress = await advance({ arm: azure.arm, clock: context.env.clock }, task);
  if (record?.url !== undefined) pollBackoff.end(record.url);
  if (progress.isDone) return progress;
  pollBackoff.begin(machine.status?.operation?.url, progress.retryAfterMs);
  return progress.retryAfterMs;
}

/**
 * Stores the record of the operation. The intent is written before the request; the URL and the end wait for the status patch
 * at the end of the pass: if a crash loses them, a read of Azure replaces them.
 */
function persistOperation({ machine, context }: AzurePass): Task["persist"] {
  return async (record) => {
    const { operation: _, ...rest } = machine.status ?? {};
    machine.status = withOperationStates(record ? { ...rest, operation: record } : rest);
    if (record && record.url === undefined) await context.persistStatus();
  };
}
