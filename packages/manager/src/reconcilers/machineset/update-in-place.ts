import {
  type ContractReference,
  controllerOf,
  type Frozen,
  isUpdatePending,
  isUpdatingInPlace,
  Machine,
  type MachineSet,
} from "@capstan/api";
import { updateRecordsOf } from "@capstan/plan";
import { next, type Outcome } from "@capstan/runtime";
import type { ContractObject } from "../../contract/contract-object.ts";
import { targetOf } from "../../contract/reference.ts";
import { updatedClone } from "../../in-place/desired.ts";
import { startUpdate } from "../../in-place/start.ts";
import { readTemplate } from "../../machines/clones.ts";
import type { Scope } from "./scope.ts";

/**
 * Writes the desired state of machines that its MachineDeployment has moved to this set, and recorded there: the infrastructure, the bootstrap config, then the
 * machine with the sign that updaters may run. All objects keep their names, so no provider creates a second machine. A
 * crash in between leaves a machine without the sign, and the next pass writes the same again.
 */
export async function updateInPlace(scope: Scope): Promise<Outcome> {
  const { context, owner, set } = scope;
  const arrived = scope.machines.filter((machine) => hasArrived(set, machine));
  if (arrived.length === 0) return next;
  const templates = await readTemplates(scope);
  for (const cached of arrived) {
    const machine = await stillArrived(scope, cached);
    if (!machine) continue;
    const { infrastructureRef, bootstrap } = machine.spec;
    await applyTemplate(scope, machine, { reference: infrastructureRef, template: templates.infrastructure });
    if (bootstrap.configRef && templates.bootstrap)
      await applyTemplate(scope, machine, { reference: bootstrap.configRef, template: templates.bootstrap });
    await startUpdate(context.client, owner, machine);
    const message = `Wrote the desired state of Machine ${machine.metadata.name}; its updaters may run`;
    context.event({ type: "Normal", reason: "UpdateStarted", message });
  }
  return next;
}

interface Templates {
  readonly infrastructure: Frozen<ContractObject>;
  readonly bootstrap: Frozen<ContractObject> | undefined;
}

async function readTemplates({ context, owner }: Scope): Promise<Templates> {
  const { infrastructure, bootstrap } = owner;
  return {
    infrastructure: await readTemplate(context, owner, infrastructure),
    bootstrap: bootstrap.from === "template" ? await readTemplate(context, owner, bootstrap) : undefined,
  };
}

interface AppliedTemplate {
  readonly reference: Frozen<ContractReference>;
  readonly template: Frozen<ContractObject>;
}

async function applyTemplate(
  { context, owner }: Scope,
  machine: Frozen<Machine>,
  { reference, template }: AppliedTemplate,
): Promise<void> {
  const { namespace = "" } = machine.metadata;
  const field = `the reference of Machine ${machine.metadata.name}`;
  const { kind, name } = await targetOf(context.client, { reference, field, namespace });
  const body = updatedClone(template, { owner, machine, name: name.name });
  const { fieldManager } = owner;
  await context.client.patch(kind, name, { type: "apply", body, fieldManager, force: true });
}

/** Whether the desired state of a machine has to be written: it was moved to this set, and updaters do not run on it yet. */
export function hasArrived(set: Frozen<MachineSet>, machine: Frozen<Machine>): boolean {
  return (
    machine.metadata.deletionTimestamp === undefined &&
    controllerOf(machine)?.uid === set.metadata.uid &&
    updateRecordsOf(set).has(machine.metadata.name) &&
    isUpdatingInPlace(machine) &&
    !isUpdatePending(machine)
  );
}

/** The cache may be behind: a machine that another set controls by now must not get the templates of this one. */
async function stillArrived(
  { context, set }: Scope,
  { metadata: { name, namespace } }: Frozen<Machine>,
): Promise<Frozen<Machine> | undefined> {
  const machine = await context.client.find(Machine, { name, namespace });
  return machine && hasArrived(set, machine) ? machine : undefined;
}
