import { type Frozen, Machine } from "@capstan/api";
import { again, isNotFound, next, type Outcome } from "@capstan/runtime";
import { adoptOrphans } from "../../contract/adopt-orphans.ts";
import { planMachineSet } from "@capstan/plan";
import { cloneReference, ensureClones, readTemplates, type Templates } from "./clones.ts";
import { machineConfiguration, newMachineName } from "./machine-object.ts";
import { applyMachine } from "./propagate.ts";
import { requireCurrentMachines, requireOwnRecords } from "./current-machines.ts";
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
  }
  let created = 0;
  for (const action of plan.actions) {
    if (action.action === "CreateMachine") created += action.detail.count;
    if (action.action === "DeleteMachine" || action.action === "Remediate")
      await deleteMachine(scope, action.targets[0] ?? "", action.why);
  }
  await createMachines(scope, created);
  return plan.blocked.some(({ reason }) => reason === "PreflightCheckFailed")
    ? again(PREFLIGHT_MS, "PreflightCheckFailed")
    : next;
}

async function deleteMachine({ context, machines }: Scope, name: string, why: string): Promise<void> {
  const metadata = machines.find((machine) => machine.metadata.name === name)?.metadata;
  if (!metadata) return;
  const { namespace, uid } = metadata;
  try {
    await context.client.delete(Machine, { name, namespace }, uid === undefined ? {} : { uid });
    const message = `Deleted Machine ${name}: ${why}`;
    context.event({ type: "Normal", reason: "SuccessfulDelete", message });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/**
 * Creates machines by names that are in the status before the first of them exists. A recorded name that the cache does
 * not show is looked up at the server and created again only if it is missing there. So neither a crash nor a cache that
 * shows too few machines leads to a machine too many.
 */
async function createMachines(scope: Scope, count: number): Promise<void> {
  const { context, set, machines } = scope;
  const known = new Map(machines.map((machine) => [machine.metadata.name, machine]));
  const unseen = (set.status?.creatingMachines ?? []).filter((name) => !known.has(name));
  const incomplete = machines.filter(needsClones);
  if (count === 0 && unseen.length === 0 && incomplete.length === 0) {
    recordCreations(set, []);
    return;
  }
  const templates = await readTemplates(scope);
  const added = newNames(scope, count);
  recordCreations(set, [...unseen, ...added]);
  // The decision counts only if the set is still as it was when it was made.
  if (added.length > 0) await context.persistStatus({ isStrict: true });
  for (const machine of incomplete) await ensureClones(scope, machine, templates);
  const expected = expectedMachines(set).filter((name) => !known.has(name));
  const total = countedMachines(set, machines).length + expected.length + unseen.length;
  const surplus = total - (set.spec.replicas ?? 1);
  await resumeCreations(scope, { unseen, surplus, templates });
  for (const name of added) await createMachine(scope, name, templates);
}

function needsClones({ metadata, status }: Frozen<Machine>): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.infrastructureReady !== true || status.bootstrapReady !== true;
}

function recordCreations(set: Scope["set"], names: readonly string[]): void {
  const { creatingMachines, ...status } = set.status ?? {};
  if (names.length > 0) set.status = { ...status, creatingMachines: [...names] };
  else if (creatingMachines) set.status = status;
}

function newNames({ context, set }: Scope, count: number): readonly string[] {
  const { namespace } = set.metadata;
  const rng = context.env.rng("machine-names");
  const names = new Set<string>();
  while (names.size < count) {
    const name = newMachineName(set, rng);
    if (!context.cache.get(Machine, { name, namespace })) names.add(name);
  }
  return [...names];
}

interface Unfinished {
  readonly unseen: readonly string[];
  /** How many machines more than its replicas the set would have with them. */
  readonly surplus: number;
  readonly templates: Templates;
}

/**
 * Continues with recorded machines that the cache does not show: they were not created before a crash, or the cache is
 * behind. One that does not exist and is not needed any more is dropped from the record.
 */
async function resumeCreations(scope: Scope, { unseen, surplus, templates }: Unfinished): Promise<void> {
  const { context, set } = scope;
  const { namespace } = set.metadata;
  const dropped: string[] = [];
  for (const name of unseen) {
    const existing = await context.client.find(Machine, { name, namespace });
    if (existing) {
      if (existing.metadata.deletionTimestamp === undefined) await ensureClones(scope, existing, templates);
    } else if (dropped.length < surplus) dropped.push(name);
    else await createMachine(scope, name, templates);
  }
  const recorded = set.status?.creatingMachines ?? [];
  if (dropped.length > 0)
    recordCreations(
      set,
      recorded.filter((name) => !dropped.includes(name)),
    );
}

async function createMachine(scope: Scope, name: string, templates: Templates): Promise<void> {
  const { context, set } = scope;
  const { namespace } = set.metadata;
  const { version, failureDomain, bootstrap } = set.spec.template.spec;
  const body = machineConfiguration(set, {
    infrastructureRef: cloneReference(templates.infrastructure, name),
    ...(templates.bootstrap
      ? { configRef: cloneReference(templates.bootstrap, name) }
      : bootstrap.dataSecretName !== undefined && { dataSecretName: bootstrap.dataSecretName }),
    ...(version !== undefined && { version }),
    ...(failureDomain !== undefined && { failureDomain }),
  });
  const machine = await applyMachine(context, { name, namespace }, body);
  context.event({ type: "Normal", reason: "SuccessfulCreate", message: `Created Machine ${name}` });
  await ensureClones(scope, machine, templates);
}
