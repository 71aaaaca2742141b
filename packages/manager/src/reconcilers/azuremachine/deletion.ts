import { block, Failure, next, type Outcome } from "@capstan/runtime";
import { failureOf, withOperationStates } from "@capstan/azure";
import { ownerOf } from "../../azure-cluster/spec-view.ts";
import { isOwned } from "@capstan/plan";
import type { JsonObject } from "@capstan/api";
import { diskIDs, interfaceIDs, machineID, machineProviderID } from "./bodies.ts";
import { nameOf, read, step } from "./operations.ts";
import { type AzurePass, blocked, type DeletingScope, VM_RUNNING } from "./scope.ts";

const DELETION_POLL_MS = 15_000;
const DELETING = "Deleting";

/**
 * Deletes the virtual machine, then its network interfaces, then its disks. Azure deletes those with the machine; what a failed
 * creation left behind is found by its name.
 */
export async function deleteResources({ machine, context, target }: DeletingScope): Promise<Outcome> {
  machine.status = { ...machine.status, ready: false };
  context.setCondition({ type: VM_RUNNING, status: "False", severity: "Info", reason: DELETING });
  if (!target) return next;
  const { facts } = target;
  const owner = ownerOf(facts.plan);
  const isOurs = (body: JsonObject): boolean => isOwned(body, owner);
  try {
    const waitMs =
      (await settle(target)) ??
      (await removeMachine(target, isOurs)) ??
      (await remove(target, interfaceIDs(facts), isOurs)) ??
      // Disks have no tags: a disk of that name which no machine uses was created for this machine.
      (await remove(target, diskIDs(facts), ({ managedBy }) => managedBy === undefined));
    return waitMs === undefined ? next : block(waitMs, DELETING);
  } catch (error) {
    const failure = failureOf(error, `deleting ${machine.metadata.name}`);
    if (failure instanceof Failure && failure.failure === "Waiting")
      return block(failure.retryAfterMs ?? DELETION_POLL_MS, DELETING);
    throw blocked(context, failure);
  }
}

/** Follows a running deletion to its end, and finds out whether a write without an answer has arrived. */
async function settle(target: AzurePass): Promise<number | undefined> {
  const record = target.machine.status?.operation;
  if (!record) return undefined;
  if (record.verb !== "DELETE" && record.url !== undefined) {
    // The deletion of the machine preempts a write that Azure has accepted.
    const { operation: _, ...rest } = target.machine.status ?? {};
    target.machine.status = withOperationStates(rest);
    target.shared.pollBackoff.end(record.url);
    return undefined;
  }
  const progress = await step(target, {});
  if (typeof progress === "number") return progress;
  if (progress.isDone && progress.outcome === "Failed" && progress.error) throw progress.error;
  return undefined;
}

/**
 * Deletes the virtual machine. One that Azure was still creating has no provider id yet, but it may have become a Node: its
 * Machine finds that Node by the id.
 */
async function removeMachine(
  target: AzurePass,
  isOurs: (body: JsonObject) => boolean,
): Promise<number | undefined> {
  const { machine, facts } = target;
  return await remove(target, [machineID(facts)], (body) => {
    if (!isOurs(body)) return false;
    machine.spec.providerID ??= machineProviderID(String(body["id"]));
    return true;
  });
}

/** Deletes the first of the resources that exists and is ours; undefined when none is left. */
async function remove(
  target: AzurePass,
  ids: readonly string[],
  isOurs: (body: JsonObject) => boolean,
): Promise<number | undefined> {
  for (const resourceID of ids) {
    const body = await read(target, resourceID);
    if (!body || !isOurs(body)) continue;
    const progress = await step(target, { desired: { verb: "DELETE", resourceID } });
    if (typeof progress === "number") return progress;
    if (progress.isDone && progress.error) throw failureOf(progress.error, `deleting ${nameOf(resourceID)}`);
  }
  return undefined;
}
