import { formatTimestamp, type JsonObject, Node } from "@capstan/api";
import { again, type Outcome } from "@capstan/runtime";
import { decideStop, INSTALL_SCRIPT, SCRUB_COMMAND } from "@capstan/plan";
import { drainMachine } from "../../../workload/drain/drain-machine.ts";
import { drainRulesOf } from "../../../workload/drain/drain-rules.ts";
import { type AzureScope, donorID, readPower, textIn } from "../gallery/azure-reads.ts";
import {
  annotating,
  donorNode,
  MACHINE_ANNOTATIONS,
  machineOf,
  missingOn,
  NODE_ANNOTATIONS,
  ON_MACHINE,
  ON_NODE,
  workloadOf,
} from "../fleet/donor-node.ts";
import { compareContents } from "./compare-contents.ts";
import { failRenewal } from "./fail.ts";
import { runOnDonor } from "./run-on-donor.ts";
import { changeDonor, moveTo, recordOf, renewalOf } from "../scope.ts";

// The donor serves nothing meanwhile, so its steps are watched closely; Azure allows twelve reads of it a minute.
const WATCH_MS = 6_000;
const RETRY_MS = 15_000;
const GONE = "the donor or its Node is gone";

/** Annotates the donor, so that no other controller, health check or autoscaler touches it. */
export async function protect(scope: AzureScope): Promise<Outcome> {
  const { context } = scope;
  const machine = machineOf(scope);
  const node = await donorNode(scope);
  const workload = await workloadOf(scope);
  if (!machine || node.state === "none") return failRenewal(scope, "DonorGone", GONE);
  if (node.state !== "found" || !workload) return again(RETRY_MS, "WorkloadUnreachable");
  const onMachine = missingOn(machine.object, MACHINE_ANNOTATIONS);
  const onNode = missingOn(node.node, NODE_ANNOTATIONS);
  await recordAnnotations(scope, [
    ...onMachine.map((name) => `${ON_MACHINE}${name}`),
    ...onNode.map((name) => `${ON_NODE}${name}`),
  ]);
  const { cycleID } = renewalOf(scope);
  if (onMachine.length > 0)
    await context.client.patch(machine.kind, machine.object.metadata, annotating(onMachine, cycleID));
  if (onNode.length > 0)
    await workload.patch(Node, { name: node.node.metadata.name }, annotating(onNode, cycleID));
  await moveTo(scope, "Preparing");
  return again(0, "Preparing");
}

/** Records which annotations are ours before they are set: only those are removed later. */
async function recordAnnotations(scope: AzureScope, names: readonly string[]): Promise<void> {
  const { markers } = renewalOf(scope).donor;
  const all = [...new Set([...markers, ...names])].sort();
  if (all.length === markers.length) return;
  changeDonor(scope, { markers: all });
  await scope.context.persistStatus();
}

/** Installs what removes the donor's identity at the first boot of its copies. The donor still serves meanwhile. */
export async function prepareDonor(scope: AzureScope): Promise<Outcome> {
  const ended = await compareContents(scope);
  if (ended) return ended;
  const view = await runOnDonor(scope, { name: SCRUB_COMMAND, script: INSTALL_SCRIPT, timeoutS: 300 });
  if (!view) return again(WATCH_MS, "Preparing");
  if (textIn(view, "executionState") !== "Succeeded")
    return failRenewal(scope, "PreparationFailed", whyNot(view));
  await moveTo(scope, "Draining");
  return again(0, "Draining");
}

function whyNot(view: JsonObject): string {
  const { executionState, exitCode, error } = view;
  return `the script that prepares the image ended with ${String(executionState)} (exit code ${String(exitCode)}): ${String(error)}`;
}

/** Cordons the donor and evicts its pods; a drain that does not end in time ends the renewal, and no pod is forced. */
export async function drainDonor(scope: AzureScope): Promise<Outcome> {
  const { context, shared } = scope;
  const machine = machineOf(scope);
  const node = await donorNode(scope);
  if (!machine || node.state === "none") return failRenewal(scope, "DonorGone", GONE);
  const nowMs = context.env.clock.now();
  if (recordOf(scope).donor?.outSince === undefined) {
    changeDonor(scope, { cordonedByUs: true, outSince: formatTimestamp(nowMs) });
    await context.persistStatus();
  }
  const { annotations } = machine.object.metadata;
  const state = await drainMachine({
    // A donor is not deleted: hooks for deletions do not apply.
    metadata: { ...(annotations && { annotations }) },
    node,
    workload: await workloadOf(scope),
    isInstanceGone: false,
    pause: undefined,
    limit: undefined,
    volumes: undefined,
    refusals: shared.refusals,
    rules: drainRulesOf(context.cache, machine.object, scope.cluster),
    nowMs,
    onCordoned: ({ metadata: { name } }) => {
      const message = `Draining Node ${name}, the donor`;
      context.event({ type: "Normal", reason: "PrototypeDraining", message });
    },
  });
  scope.note = { reason: state.reason, why: state.message };
  if (!state.isOver) return again(Math.min(state.requeueAfterMs, RETRY_MS), state.reason);
  await moveTo(scope, "Stopping");
  return again(0, "Stopping");
}

/** Powers the donor off. It keeps its host and its addresses, so that it can always be started again. */
export async function stopDonor(scope: AzureScope): Promise<Outcome> {
  const { azure, context } = scope;
  const { donor } = renewalOf(scope);
  const step = decideStop(await readPower(scope));
  scope.note = { reason: "Stopping", why: step.why };
  if (step.do === "giveUp") return failRenewal(scope, "DonorGone", step.why);
  if (step.do === "powerOff") {
    const options = { location: azure.location, query: { skipShutdown: "false" } };
    await azure.arm.post(`${donorID(scope)}/poweroff`, undefined, options);
    context.event({ type: "Normal", reason: "PrototypeStopping", message: `Stopping ${donor.machine}` });
  }
  if (step.do !== "stopped") return again(WATCH_MS, "Stopping");
  changeDonor(scope, { stoppedAt: formatTimestamp(context.env.clock.now()) });
  await moveTo(scope, "Snapshotting");
  return again(0, "Snapshotting");
}
