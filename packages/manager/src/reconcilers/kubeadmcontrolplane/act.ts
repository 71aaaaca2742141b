import { again, block, next, type Outcome } from "@capstan/runtime";
import { type ControlPlaneAction, isHealthy } from "@capstan/plan";
import { type Handlers, perform } from "../../actions/perform.ts";
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
  const { context, plan } = scope;
  const outcome = await perform(plan?.actions ?? [], handlersOf(scope), context.log);
  if (outcome.type !== "next") return outcome;
  if (!isSettled(scope)) return again(HEALTH_POLL_MS, "WaitingForHealth");
  const untilRolloutMs = Date.parse(scope.controlPlane.spec.rollout?.after ?? "") - context.env.clock.now();
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

function handlersOf(scope: Scope): Handlers<ControlPlaneAction> {
  const { context } = scope;
  return {
    CreateMachine: only(async ({ detail: { role, failureDomain } }) => {
      if (role === "join") await prepareJoin(scope);
      await create(scope, failureDomain);
    }),
    DeleteMachine: only(async ({ targets: [name = ""], why }) => {
      await deleteMachine(scope, name);
      const message = `Deleted Machine ${name}: ${why}`;
      context.event({ type: "Normal", reason: "SuccessfulDelete", message });
    }),
    Remediate: only(async ({ targets: [name = ""], detail, why }) => {
      // The record is written with the deletion in one pass; its replacement carries it on.
      record(scope, formatRecord(detail.record));
      await deleteMachine(scope, name);
      const message = `Deleted Machine ${name}: ${why}`;
      context.event({ type: "Normal", reason: "MachineRemediated", message });
    }),
    MoveEtcdLeader: only(async ({ targets: [name = ""], detail, why }) => {
      context.assertMayWrite();
      await withEtcd(scope, detail.from, (etcd) => etcd.moveLeader(detail.id));
      const message = `Moved the leadership of etcd to ${name}: ${why}`;
      context.event({ type: "Normal", reason: "EtcdLeaderMoved", message });
    }),
    RemoveEtcdMember: only(async ({ targets: [name = ""], detail, why }) => {
      await removeMember(scope, detail);
      const message = `Removed etcd member ${name}: ${why}`;
      context.event({ type: "Normal", reason: "EtcdMemberRemoved", message });
    }),
    ReleaseMachine: only(async ({ targets: [name] }) => {
      const machine = scope.machines.find(({ metadata }) => metadata.name === name);
      if (machine) await releaseMachine(scope, machine);
    }),
    UpdateMachineInPlace: only((action) => updateMachine(scope, action)),
  };
}

/** A plan has one change at most. It ends the pass: the next decision rests on what it leads to. */
function only<Planned extends ControlPlaneAction>(
  change: (action: Planned) => Promise<void>,
): (actions: readonly Planned[]) => Promise<Outcome> {
  return async ([action]) => {
    if (!action) return next;
    await change(action);
    return block(0, action.action);
  };
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
