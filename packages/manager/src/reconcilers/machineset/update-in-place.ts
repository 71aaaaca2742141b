import {
  controllerOf,
  controllerReferenceTo,
  type Frozen,
  isUpdatePending,
  isUpdatingInPlace,
  Machine,
  type ObjectReference,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { next, type Outcome } from "@capstan/runtime";
import { cloneTemplate } from "../../contract/clone-template.ts";
import type { ContractObject } from "../../contract/contract-object.ts";
import { targetOf } from "../../contract/reference.ts";
import { startAnnotations } from "../../in-place/start-annotations.ts";
import { readTemplates } from "./clones.ts";
import { membershipLabels, SET_FIELD_MANAGER } from "./machine-object.ts";
import type { Scope } from "./scope.ts";

/**
 * Writes the desired state of machines that have moved to this set: the infrastructure, the bootstrap config, then the
 * machine with the sign that updaters may run. All objects keep their names, so no provider creates a second machine. A
 * crash in between leaves a machine without the sign, and the next pass writes the same again.
 */
export async function updateInPlace(scope: Scope): Promise<Outcome> {
  const arrived = scope.machines.filter(
    (machine) =>
      machine.metadata.deletionTimestamp === undefined &&
      isUpdatingInPlace(machine) &&
      !isUpdatePending(machine),
  );
  if (arrived.length === 0) return next;
  const templates = await readTemplates(scope);
  for (const cached of arrived) {
    const machine = await stillArrived(scope, cached);
    if (!machine) continue;
    const { infrastructureRef, bootstrap } = machine.spec;
    await applyTemplate(scope, machine, { reference: infrastructureRef, template: templates.infrastructure });
    if (bootstrap.configRef && templates.bootstrap)
      await applyTemplate(scope, machine, { reference: bootstrap.configRef, template: templates.bootstrap });
    await startUpdate(scope, machine);
  }
  return next;
}

/** The cache may be behind: a machine that another set controls by now must not get the templates of this one. */
async function stillArrived(
  { context, set }: Scope,
  { metadata: { name, namespace } }: Frozen<Machine>,
): Promise<Frozen<Machine> | undefined> {
  const machine = await context.client.find(Machine, { name, namespace });
  if (!machine || machine.metadata.deletionTimestamp !== undefined || isUpdatePending(machine))
    return undefined;
  return isUpdatingInPlace(machine) && controllerOf(machine)?.uid === set.metadata.uid ? machine : undefined;
}

interface AppliedTemplate {
  readonly reference: Frozen<ObjectReference>;
  readonly template: Frozen<ContractObject>;
}

async function applyTemplate(
  { context, set }: Scope,
  machine: Frozen<Machine>,
  { reference, template }: AppliedTemplate,
): Promise<void> {
  const { namespace = "" } = machine.metadata;
  const field = `the reference of Machine ${machine.metadata.name}`;
  const { kind, name } = targetOf({ reference, field, namespace });
  const body = cloneTemplate(template, {
    name: name.name,
    clusterName: set.spec.clusterName,
    labels: membershipLabels(set),
    annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: "" },
    owner: controllerReferenceTo(machine),
  });
  await context.client.patch(kind, name, {
    type: "apply",
    body,
    fieldManager: SET_FIELD_MANAGER,
    force: true,
  });
}

async function startUpdate({ context, set }: Scope, { metadata, spec }: Frozen<Machine>): Promise<void> {
  const { name, namespace, resourceVersion } = metadata;
  const { version, failureDomain } = set.spec.template.spec;
  const body = {
    metadata: { resourceVersion, annotations: startAnnotations(spec.version, version) },
    spec: { version: version ?? null, ...(failureDomain !== undefined && { failureDomain }) },
  };
  await context.client.patch(Machine, { name, namespace }, { type: "merge", body });
  const message = `Wrote the desired state of Machine ${name}; its updaters may run`;
  context.event({ type: "Normal", reason: "UpdateStarted", message });
}
