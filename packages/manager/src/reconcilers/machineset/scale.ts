import { Machine } from "@capstan/api";
import { again, next, type Outcome } from "@capstan/runtime";
import { adoptOrphans } from "../../contract/adopt-orphans.ts";
import { type MachineSetPlan, planMachineSet } from "@capstan/plan";
import { forEachAlone, perform } from "../../actions/perform.ts";
import { type CloneSources, ensureClones, needsClones, readCloneSources } from "../../machines/clones.ts";
import { createMachine, newMachineNames, resumeCreation } from "../../machines/create.ts";
import { deleteMachine } from "../../machines/remove.ts";
import { reportRemediation } from "../../machines/report-remediation.ts";
import { requireCurrentMachines, requireCurrentSet, requireOwnRecords } from "./current-machines.ts";
import { countedMachines, expectedMachines } from "../../machines/recorded-moves.ts";
import { BY_ORPHAN, type Scope } from "./scope.ts";
import { viewOf } from "./view.ts";

// A failed preflight check passes when the control plane changes, which not every kind reports by an event.
const PREFLIGHT_MS = 15_000;

/** Becomes the controller of machines without one that the selector matches. */
export async function adoptMachines({ context, set }: Scope): Promise<Outcome> {
  const value = set.metadata.namespace ?? "";
  const orphans = context.cache.list(Machine, { index: BY_ORPHAN, value });
  const isAdopting = await adoptOrphans(context, set, { kind: Machine, orphans });
  return isAdopting ? again(0, "AdoptingMachines") : next;
}

/** Creates or deletes machines until the set has its replicas. */
export async function scaleMachines(scope: Scope): Promise<Outcome> {
  const { context } = scope;
  const plan = planMachineSet(viewOf({ ...scope, nowMs: context.env.clock.now() }));
  scope.plan = plan;
  if (plan.actions.some(({ action }) => action !== "Wait")) {
    await requireOwnRecords(scope);
    await requireCurrentMachines(scope);
    await requireCurrentSet(scope);
  }
  await perform(
    plan.actions,
    {
      DeleteMachine: forEachAlone(({ targets: [name = ""], why }) => removeMachine(scope, name, why)),
      Remediate: forEachAlone(({ targets: [name = ""], why }) => removeMachine(scope, name, why)),
      // Together with creations of earlier passes, which need no action.
      CreateMachine: () => Promise.resolve(next),
    },
    context.log,
  );
  await createMachines(scope, creationsIn(plan));
  return plan.blocked.some(({ reason }) => reason === "PreflightCheckFailed")
    ? again(PREFLIGHT_MS, "PreflightCheckFailed")
    : next;
}

/** Says at the machines that a health check marked whether they are replaced. */
export async function answerHealthChecks(scope: Scope): Promise<Outcome> {
  await reportRemediation(scope, scope.plan);
  return next;
}

function creationsIn({ actions }: MachineSetPlan): number {
  return actions.reduce(
    (count, action) => count + (action.action === "CreateMachine" ? action.detail.count : 0),
    0,
  );
}

/** Deletes a machine, and says why. */
async function removeMachine(scope: Scope, name: string, why: string): Promise<void> {
  const isDeleted = await deleteMachine(scope, name);
  const message = `Deleted Machine ${name}: ${why}`;
  if (isDeleted) scope.context.event({ type: "Normal", reason: "SuccessfulDelete", message });
}

/**
 * Creates machines by names that are in the status before the first of them exists, and continues with those of earlier
 * passes that the cache does not show.
 */
async function createMachines(scope: Scope, count: number): Promise<void> {
  const { context, set, owner, machines } = scope;
  const known = new Set(machines.map(({ metadata }) => metadata.name));
  const unseen = (set.status?.creatingMachines ?? []).filter((name) => !known.has(name));
  const incomplete = machines.filter(needsClones);
  if (count === 0 && unseen.length === 0 && incomplete.length === 0) {
    recordCreations(set, []);
    return;
  }
  const sources = await readCloneSources(context, owner);
  const added = newMachineNames(scope, count);
  recordCreations(set, [...unseen, ...added]);
  // The decision counts only if the set is still as it was when it was made.
  if (added.length > 0) await context.persistStatus({ isStrict: true });
  for (const machine of incomplete) await ensureClones(scope, machine, sources);
  const expected = expectedMachines(set).filter((name) => !known.has(name));
  const total = countedMachines(set, machines).length + expected.length + unseen.length;
  const surplus = total - (set.spec.replicas ?? 1);
  await resumeCreations(scope, { unseen, surplus, sources });
  for (const name of added) await createMachine(scope, { name, sources });
}

function recordCreations(set: Scope["set"], names: readonly string[]): void {
  const { creatingMachines, ...status } = set.status ?? {};
  if (names.length > 0) set.status = { ...status, creatingMachines: [...names] };
  else if (creatingMachines) set.status = status;
}

interface Unfinished {
  readonly unseen: readonly string[];
  /** How many machines more than its replicas the set would have with them. */
  readonly surplus: number;
  readonly sources: CloneSources;
}

/** One that does not exist and is not needed any more is dropped from the record. */
async function resumeCreations(scope: Scope, { unseen, surplus, sources }: Unfinished): Promise<void> {
  const { set } = scope;
  const dropped: string[] = [];
  for (const name of unseen) {
    const isNeeded = dropped.length >= surplus;
    if (!(await resumeCreation(scope, { name, sources }, { isNeeded }))) dropped.push(name);
  }
  if (dropped.length === 0) return;
  const recorded = set.status?.creatingMachines ?? [];
  recordCreations(
    set,
    recorded.filter((name) => !dropped.includes(name)),
  );
}
