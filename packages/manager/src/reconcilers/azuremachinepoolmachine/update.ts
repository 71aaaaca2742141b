import {
  deepEqual,
  formatTimestamp,
  type Frozen,
  Node,
  PROTOTYPE_DONOR_ANNOTATION,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import { again, type Client, next, type Outcome } from "@capstan/runtime";
import type { ScaleSetInstance } from "@capstan/azure";
import { updateOf } from "../../workload/availability.ts";
import { isCordonedByUs, uncordon } from "../../workload/drain/cordon.ts";
import { MODEL_HASH_ANNOTATION, UNKNOWN_MODEL } from "../../pools/well-known.ts";
import {
  BOOTSTRAP_SUCCEEDED,
  DRAINED,
  INSTANCE_UPDATED,
  UPDATING_IN_PLACE,
  VOLUMES_DETACHED,
} from "../../pools/machine-conditions.ts";
import { decideUpdate, returnOf, type UpdateStep } from "./decide-update.ts";
import { deleteNode } from "./deletion.ts";
import { drainNode, recordDrain } from "./drain-node.ts";
import { type InstanceUpdate, keptFieldsOf, restoring } from "./kept-fields.ts";
import { reportMachine } from "./report.ts";
import type { Scope } from "./scope.ts";

// A list and the Node enqueue the machine; this interval covers missed events.
const UPDATE_POLL_MS = 60_000;
const SOON_MS = 10_000;
// Most updates take less. Until then, intermediate states are expected and not reported.
const USUAL_MS = 10 * 60_000;

const PASSING: readonly string[] = [DRAINED, VOLUMES_DETACHED, INSTANCE_UPDATED];

const STEPS: Readonly<Record<UpdateStep, (scope: Scope) => Promise<Outcome>>> = {
  standDown,
  awaitPick: async () => again(UPDATE_POLL_MS, "WaitingForPick"),
  drain,
  handOver,
  awaitReturn,
};

/** Advances the update of the machine's instance up to the point where the pool or Azure has to act. */
export async function updateInPlace(scope: Scope): Promise<Outcome> {
  return await STEPS[decideUpdate(scope.machine, scope.pool)](scope);
}

/** No update is requested any more, or it is done: the Node takes pods again. */
async function standDown(scope: Scope): Promise<Outcome> {
  const { machine, node, workload } = scope;
  // The controller of node images drains the Node of a donor, and uncordons it.
  if (machine.metadata.annotations?.[PROTOTYPE_DONOR_ANNOTATION] !== undefined) return next;
  // While the Node cannot be read, it is unknown whether the controller cordoned it.
  if (node.state === "unknown") return next;
  if (node.state === "found" && workload && isCordonedByUs(node.node)) {
    await uncordon(workload, node.node);
    scope.context.event({
      type: "Normal",
      reason: "Uncordoned",
      message: `Node ${node.node.metadata.name} stays and takes pods again`,
    });
  }
  forget(scope);
  if (updateOf(machine) !== undefined) unmark(machine);
  return next;
}

/**
 * Removes the update annotation and stores the model in an annotation. When objects are moved or restored, the status may
 * get lost; the pool controller would then take the machine's first model for its current one and replace the machine.
 */
function unmark({ metadata, status }: Scope["machine"]): void {
  const { [UPDATE_INSTANCE_ANNOTATION]: _, ...others } = metadata.annotations ?? {};
  const { modelHash } = status ?? {};
  metadata.annotations = {
    ...others,
    ...(modelHash !== undefined && { [MODEL_HASH_ANNOTATION]: modelHash }),
  };
}

/** Removes the conditions and records of deletion and update from a machine that stays. */
function forget({ machine }: Scope): void {
  if (!machine.status) return;
  const { nodeDrainStartTime: _, instanceUpdate: __, conditions, ...kept } = machine.status;
  const left = conditions?.filter(({ type }) => !PASSING.includes(type));
  machine.status = { ...kept, ...(left && { conditions: left }) };
}

async function drain(scope: Scope): Promise<Outcome> {
  const state = await drainNode(scope);
  if (!state.isOver) {
    if (state.isRoutine === true) scope.isQuiet = true;
    else recordDrain(scope, state);
    return again(state.requeueAfterMs, state.reason);
  }
  // The users' fields must be persisted before the Node is deleted, because a crash would lose them.
  const { machine, node, context } = scope;
  const latest = (await latestNode(scope)) ?? (node.state === "found" ? node.node : undefined);
  const startedAt = formatTimestamp(context.env.clock.now());
  const instanceUpdate = recordOf({ startedAt, modelHash: updateOf(machine) ?? "" }, latest);
  machine.status = { ...machine.status, instanceUpdate };
  await context.persistStatus();
  return await handOver(scope);
}

/** The Node of the machine, read live because the watch lags behind; undefined if it is gone. */
async function latestNode({ node, workload }: Scope): Promise<Frozen<Node> | undefined> {
  if (node.state !== "found" || !workload) return undefined;
  const latest = await workload.find(Node, { name: node.node.metadata.name });
  return latest?.metadata.uid === node.node.metadata.uid ? latest : undefined;
}

function recordOf(
  { startedAt, modelHash }: Pick<InstanceUpdate, "startedAt" | "modelHash">,
  node: Frozen<Node> | undefined,
): InstanceUpdate {
  const fields = node ? keptFieldsOf(node) : { nodeName: "", nodeUID: "", bootID: "" };
  return { startedAt, modelHash, ...fields };
}

/** Deletes the old Node and waits until it is gone, because the new boot joins under the same name. */
async function handOver(scope: Scope): Promise<Outcome> {
  const { context, machine, node, workload } = scope;
  if (node.state === "unknown") return again(SOON_MS, node.reason);
  const uid = machine.status?.instanceUpdate?.nodeUID;
  if (node.state === "found" && node.node.metadata.uid === uid && workload) {
    await deleteRecorded(scope, { known: node.node, workload });
    return again(SOON_MS, UPDATING_IN_PLACE);
  }
  const message = "The instance may be updated now";
  context.setCondition({ type: DRAINED, status: "True", reason: "Drained", message });
  // The condition was about the previous boot.
  context.setCondition({
    type: BOOTSTRAP_SUCCEEDED,
    status: "False",
    severity: "Info",
    reason: UPDATING_IN_PLACE,
  });
  context.event({ type: "Normal", reason: UPDATING_IN_PLACE, message });
  return again(UPDATE_POLL_MS, UPDATING_IN_PLACE);
}

/**
 * Deletes the Node in the version that the status has recorded. A user may have labelled the Node since: then the record is
 * written again first. A change after that makes the delete fail with a conflict, which is retried.
 */
async function deleteRecorded(
  scope: Scope,
  { known, workload }: { readonly known: Frozen<Node>; readonly workload: Client },
): Promise<void> {
  const { machine, context, askedToGo } = scope;
  const latest = askedToGo.has(known) ? undefined : await latestNode(scope);
  const recorded = machine.status?.instanceUpdate;
  if (!latest || !recorded) return;
  const instanceUpdate = recordOf(recorded, latest);
  if (!deepEqual(instanceUpdate, recorded)) {
    machine.status = { ...machine.status, instanceUpdate };
    await context.persistStatus();
  }
  await deleteNode(scope, { node: known, workload, resourceVersion: latest.metadata.resourceVersion });
}

async function awaitReturn(scope: Scope): Promise<Outcome> {
  const { machine, pool, observed, workload } = scope;
  const update = machine.status?.instanceUpdate;
  if (!update || observed.state !== "seen") return again(UPDATE_POLL_MS, UPDATING_IN_PLACE);
  // A started update is finished even if the annotation was removed: its Node is already gone.
  const askedHash = updateOf(machine) ?? ask(scope, update.modelHash);
  recordFailure(scope, observed.instance);
  const { instance, atMs: listedAtMs } = observed;
  const returned = returnOf({ update, instance, listedAtMs, observed: scope.node, pool });
  if (!returned || !workload) return goOnWaiting(scope, instance);
  const { node, isUpdated } = returned;
  const body = restoring(node, update);
  if (body) await workload.patch(Node, { name: node.metadata.name }, { type: "merge", body });
  // A machine with an unknown model counts as outdated, so it is updated once more.
  return await complete(scope, isUpdated ? askedHash : UNKNOWN_MODEL);
}

/** An update in progress is already reported; reporting each intermediate state would cost a write. */
function goOnWaiting(scope: Scope, { provisioningState }: ScaleSetInstance): Outcome {
  const startedMs = Date.parse(scope.machine.status?.instanceUpdate?.startedAt ?? "");
  const isUsual = scope.context.env.clock.now() - startedMs < USUAL_MS;
  if (isUsual && provisioningState !== "Failed") scope.isQuiet = true;
  return again(UPDATE_POLL_MS, UPDATING_IN_PLACE);
}

function ask({ machine }: Scope, modelHash: string): string {
  machine.metadata.annotations = {
    ...machine.metadata.annotations,
    [UPDATE_INSTANCE_ANNOTATION]: modelHash,
  };
  return modelHash;
}

function recordFailure({ context }: Scope, { provisioningState, error }: ScaleSetInstance): void {
  if (provisioningState !== "Failed") return;
  const message = error?.message ?? "Azure does not say why";
  context.setCondition({
    type: INSTANCE_UPDATED,
    status: "False",
    severity: "Error",
    reason: "InstanceUpdateFailed",
    message,
  });
}

/** The pool starts its next wave when the annotation is gone, so the status must have the new model before. */
async function complete(scope: Scope, modelHash: string): Promise<Outcome> {
  const { context, machine } = scope;
  forget(scope);
  machine.status = { ...machine.status, modelHash };
  reportMachine(scope);
  await context.persistStatus();
  unmark(machine);
  const message = `The instance has been updated in place to model ${modelHash}`;
  context.event({ type: "Normal", reason: "UpdatedInPlace", message });
  return next;
}
