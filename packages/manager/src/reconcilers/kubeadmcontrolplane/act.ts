import { again, block, next, type Outcome } from "@capstan/runtime";
import { type ControlPlaneAction, isHealthy } from "@capstan/plan";
import { withEtcd } from "./etcd.ts";
import { updateMachine } from "./in-place/update.ts";
import { prepareJoin } from "./kubeadm-config.ts";
import { deleteMachine } from "../../machines/remove.ts";
import { releaseMachine } from "./cleanup-hook.ts";
import { createRecordedMachine } from "./creation.ts";
import { formatRecord, REMEDIATION_IN_PROGRESS_ANNOTATION } from "./remediation-record.ts";
import type { Scope } from "./scope.ts";

// Static pods and members of etcd are not watched; while one is not healthy, the controller looks again.
const HEALTH_POLL_MS = 10_000;

/** Carries out the decision: at most one change of the control plane in a pass. */
export async function act(scope: Scope): Promise<Outcome> {
  const { context } = scope;
  for (const action of scope.plan?.actions ?? []) {
    if (action.action === "Wait") continue;
    await perform(scope, action);
    return block(0, action.action);
  }
  if (!isSettled(scope)) return again(HEALTH_POLL_MS, "WaitingForHealth");
  const untilRolloutMs = Date.parse(scope.controlPlane.spec.rolloutAfter ?? "") - context.env.clock.now();
  return untilRolloutMs > 0 ? again(untilRolloutMs, "WaitingForRolloutAfter") : next;
}

function isSettled({ view, plan }: Scope): boolean {
  return (
    view !== undefined &&
    plan?.actions.length === 0 &&
    plan.blocked.length === 0 &&
    view.machines.every(isHealthy)
  );
}

async function perform(scope: Scope, action: Exclude<ControlPlaneAction, { action: "Wait" }>): Promise<void> {
  const { context } = scope;
  const [target = ""] = action.targets;
  context.log.info("Changing the control plane", { action: action.action, target, why: action.why });
  switch (action.action) {
    case "CreateMachine":
      if (action.detail.role === "join") await prepareJoin(scope);
      return create(scope, action.detail.failureDomain);
    case "DeleteMachine":
      await deleteMachine(scope, target);
      context.event({
        type: "Normal",
        reason: "SuccessfulDelete",
        message: `Deleted Machine ${target}: ${action.why}`,
      });
      return;
    case "Remediate":
      // The record is written with the deletion in one pass; its replacement carries it on.
      record(scope, formatRecord(action.detail.record));
      await deleteMachine(scope, target);
      context.event({
        type: "Normal",
        reason: "MachineRemediated",
        message: `Deleted Machine ${target}: ${action.why}`,
      });
      return;
    case "MoveEtcdLeader":
      context.assertMayWrite();
      await withEtcd(scope, action.detail.from, (etcd) => etcd.moveLeader(action.detail.id));
      context.event({
        type: "Normal",
        reason: "EtcdLeaderMoved",
        message: `Moved the leadership of etcd to ${target}: ${action.why}`,
      });
      return;
    case "RemoveEtcdMember":
      await removeMember(scope, action.detail);
      context.event({
        type: "Normal",
        reason: "EtcdMemberRemoved",
        message: `Removed etcd member ${target}: ${action.why}`,
      });
      return;
    case "ReleaseMachine":
      return release(scope, target);
    case "UpdateMachineInPlace":
      return updateMachine(scope, action);
  }
}

async function create(scope: Scope, failureDomain: string | undefined): Promise<void> {
  const replacementFor = scope.view?.remediationInProgress;
  await createRecordedMachine(scope, { failureDomain, replacementFor });
  if (replacementFor) record(scope, undefined);
}

/** Records in an annotation that a remediated machine has no replacement yet. */
function record({ controlPlane }: Scope, text: string | undefined): void {
  const { [REMEDIATION_IN_PROGRESS_ANNOTATION]: _, ...annotations } = controlPlane.metadata.annotations ?? {};
  controlPlane.metadata.annotations = {
    ...annotations,
    ...(text !== undefined && { [REMEDIATION_IN_PROGRESS_ANNOTATION]: text }),
  };
}

/** Another member than the removed one is asked: the removed one could not answer. */
async function removeMember(
  scope: Scope,
  { id, machine }: { readonly id: string; readonly machine: string | undefined },
): Promise<void> {
  const { view, context } = scope;
  const stays = view?.machines.find((one) => one.name !== machine && isHealthy(one));
  const other = stays ?? view?.machines.find((one) => one.name !== machine && one.nodeName !== undefined);
  context.assertMayWrite();
  await withEtcd(scope, other?.nodeName ?? "", (etcd) => etcd.removeMember(id));
}

async function release(scope: Scope, name: string): Promise<void> {
  const machine = scope.machines.find(({ metadata }) => metadata.name === name);
  if (machine) await releaseMachine(scope, machine);
}
