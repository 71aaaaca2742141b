import { formatTimestamp, Node } from "@capstan/api";
import { again, type Outcome, unlessGone } from "@capstan/runtime";
import { decideReturn, isReturnOverdue, type ReturnFacts } from "@capstan/plan";
import { isNodeReady } from "../../../workload/availability.ts";
import { uncordon } from "../../../workload/drain/cordon.ts";
import type { NodeLookup } from "../../../workload/find-node.ts";
import { type AzureScope, donorID, readPower } from "../gallery/azure-reads.ts";
import { annotating, donorNode, machineOf, ON_MACHINE, ON_NODE, workloadOf } from "../fleet/donor-node.ts";
import { changeDonor, moveTo, recordOf, renewalOf, type Scope } from "../scope.ts";

const WATCH_MS = 6_000;
const OVERDUE_MS = 15 * 60_000;

/** Brings the donor back into service. This outranks a pause, a switch and a deletion, and is never given up. */
export async function restoreDonor(scope: AzureScope): Promise<Outcome> {
  const { azure, context } = scope;
  const node = await donorNode(scope);
  const step = decideReturn(await factsOf(scope, node));
  scope.note = { reason: "Restoring", why: step.why };
  warnIfLate(scope);
  switch (step.do) {
    case "wait":
      return again(WATCH_MS, "Restoring");
    case "start": {
      await azure.arm.post(`${donorID(scope)}/start`, undefined, { location: azure.location });
      const message = `Starting ${renewalOf(scope).donor.machine}`;
      context.event({ type: "Normal", reason: "PrototypeRestoring", message });
      return again(WATCH_MS, "Restoring");
    }
    case "replace":
      return replace(scope);
    case "release":
      await release(scope, node);
      return goOn(scope);
    case "forget":
      // A machine that leaves stays cordoned: its own controller drains it.
      await unmarkMachine(scope);
      return goOn(scope);
  }
}

async function factsOf(scope: AzureScope, node: NodeLookup): Promise<ReturnFacts> {
  const record = recordOf(scope);
  const { metadata } = machineOf(scope)?.object ?? {};
  return {
    power: await readPower(scope),
    node: nodeState(node, record.donor?.stoppedAt === undefined ? undefined : record.donor.bootID),
    isDeleting: metadata === undefined || metadata.deletionTimestamp !== undefined,
    isOverdue: isReturnOverdue(record, scope.context.env.clock.now(), watchedSinceMs(scope)),
  };
}

function watchedSinceMs(scope: Scope): number {
  const { returns } = scope.shared;
  const key = returnKey(scope);
  const sinceMs = returns.get(key) ?? scope.context.env.clock.now();
  returns.set(key, sinceMs);
  return sinceMs;
}

function returnKey(scope: Scope): string {
  return `${scope.ownerKey}/${renewalOf(scope).cycleID}`;
}

function nodeState(node: NodeLookup, stoppedBoot: string | undefined): ReturnFacts["node"] {
  if (node.state === "none") return "gone";
  if (node.state !== "found") return "unknown";
  const bootID = node.node.status?.nodeInfo?.bootID;
  if (stoppedBoot !== undefined && bootID === stoppedBoot) return "old";
  return isNodeReady(node.node) ? "ready" : "notReady";
}

/** Removes our annotations, and lets the Node take pods again. The machine comes last: it is the second record of the donor. */
async function release(scope: AzureScope, node: NodeLookup): Promise<void> {
  const workload = await workloadOf(scope);
  if (node.state === "found" && workload) {
    const { name } = node.node.metadata;
    // All machines of a pool that is being deleted leave.
    if (!scope.isDeleting) await uncordon(workload, node.node);
    await unlessGone(workload.patch(Node, { name }, annotating(ours(scope, ON_NODE), null)));
  }
  await unmarkMachine(scope);
}

async function unmarkMachine(scope: AzureScope): Promise<void> {
  const machine = machineOf(scope);
  if (!machine) return;
  const { client } = scope.context;
  await unlessGone(
    client.patch(machine.kind, machine.object.metadata, annotating(ours(scope, ON_MACHINE), null)),
  );
}

function ours(scope: Scope, prefix: string): readonly string[] {
  const { markers } = renewalOf(scope).donor;
  return markers.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
}

/** The donor did not come back: its machine is deleted, and the pool replaces it. */
async function replace(scope: AzureScope): Promise<Outcome> {
  const { context } = scope;
  const machine = machineOf(scope);
  if (!machine) return again(WATCH_MS, "Restoring");
  const { name, uid = "" } = machine.object.metadata;
  const message = `${name} did not come back within 15 minutes and is replaced`;
  context.event({ type: "Warning", reason: "PrototypeDonorLost", message });
  await unlessGone(context.client.delete(machine.kind, machine.object.metadata, { uid }));
  return again(WATCH_MS, "Restoring");
}

/** The donor serves again: the image is published, or the renewal has failed. */
async function goOn(scope: AzureScope): Promise<Outcome> {
  const { context, shared, ownerKey } = scope;
  const { donor, succeeded } = renewalOf(scope);
  const nowMs = context.env.clock.now();
  const outMs = outOfServiceMs(scope);
  if (outMs !== undefined) shared.ports.prototypeMetrics.back(ownerKey, outMs / 1000);
  shared.ports.prototypeMetrics.overdue(ownerKey, false);
  shared.returns.delete(returnKey(scope));
  changeDonor(scope, { backAt: formatTimestamp(nowMs) });
  const to = succeeded ? "Scrubbing" : "Aborting";
  await moveTo(scope, to);
  const message = `${donor.machine} is in service again`;
  // A donor that has nothing new was never out of service.
  if (outMs !== undefined) context.event({ type: "Normal", reason: "PrototypeDonorBack", message });
  return again(0, to);
}

/** How long the donor has taken no pods; undefined when it was never taken out of service. */
function outOfServiceMs({ context, owner }: Scope): number | undefined {
  const outMs = context.env.clock.now() - Date.parse(recordOf({ owner }).donor?.outSince ?? "");
  return Number.isNaN(outMs) ? undefined : outMs;
}

/** The alert metric: a donor that has been out of service for long. */
function warnIfLate(scope: Scope): void {
  scope.shared.ports.prototypeMetrics.overdue(scope.ownerKey, (outOfServiceMs(scope) ?? 0) > OVERDUE_MS);
}
