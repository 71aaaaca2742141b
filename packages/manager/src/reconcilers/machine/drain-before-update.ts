import { again, next, type Outcome } from "@capstan/runtime";
import { drainRulesOf } from "../../workload/drain/drain-rules.ts";
import { isCordonedForUpdate, uncordon } from "../../workload/drain/cordon.ts";
import { drainMachine } from "../../workload/drain/drain-machine.ts";
import { limitOf, startTimer, type Timer } from "./deletion.ts";
import type { Scope } from "./scope.ts";

/** The progress of a drain before an update; undefined when the Node is drained. */
export type PendingDrain = { readonly outcome: Outcome; readonly message: string } | undefined;

/**
 * Drains the Node of a machine before its updaters run, by the rules and limits by which it is drained before a deletion. The
 * Node itself says after a crash how far that was.
 */
export async function drainBeforeUpdate(scope: Scope): Promise<PendingDrain> {
  const { context, machine, node, workload, refusals, cluster } = scope;
  const { deletion: limits } = machine.spec;
  const { deletion: started } = machine.status ?? {};
  const state = await drainMachine({
    metadata: machine.metadata,
    node,
    workload,
    isInstanceGone: false,
    pause: undefined,
    limit: limitOf(scope, limits?.nodeDrainTimeoutSeconds, started?.nodeDrainStartTime),
    volumes: limitOf(
      scope,
      limits?.nodeVolumeDetachTimeoutSeconds,
      started?.waitForNodeVolumeDetachStartTime,
    ),
    refusals,
    rules: drainRulesOf(context.cache, machine, cluster),
    nowMs: context.env.clock.now(),
    purpose: "update-in-place",
    onCordoned: ({ metadata: { name } }) =>
      context.event({
        type: "Normal",
        reason: "Draining",
        message: `Draining Node ${name} before its update`,
      }),
  });
  if (state.isOver) {
    forgetTimers(scope);
    return undefined;
  }
  if (state.timer === "start") startTimer(scope, "nodeDrainStartTime");
  if (state.isWaitingForVolumes === true) startTimer(scope, "waitForNodeVolumeDetachStartTime");
  return { outcome: again(state.requeueAfterMs, "UpdatingInPlace"), message: state.message };
}

const TIMERS: readonly Timer[] = ["nodeDrainStartTime", "waitForNodeVolumeDetachStartTime"];

/** A later drain has its own time. */
function forgetTimers({ machine }: Scope): void {
  const { deletion, ...status } = machine.status ?? {};
  if (!deletion || TIMERS.every((timer) => deletion[timer] === undefined)) return;
  const entries = Object.entries(deletion).filter(([timer]) => !TIMERS.includes(timer as Timer));
  machine.status = entries.length > 0 ? { ...status, deletion: Object.fromEntries(entries) } : status;
}

/** Lets pods return to a Node that was cordoned for an update, whether the update succeeded or failed. */
export async function uncordonAfterUpdate({ context, node, workload }: Scope): Promise<Outcome> {
  if (node.state !== "found" || !workload || !isCordonedForUpdate(node.node)) return next;
  const { name } = node.node.metadata;
  if (await uncordon(workload, node.node))
    context.event({
      type: "Normal",
      reason: "Uncordoned",
      message: `Uncordoned Node ${name} after its update`,
    });
  return next;
}
