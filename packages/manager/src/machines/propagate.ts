import type { Frozen, Kind, Machine, ObjectMeta } from "@capstan/api";
import type { ObjectName } from "@capstan/runtime";
import { resolve, type ResolvedReference } from "../contract/resolve.ts";
import { applyMachine, fixedFieldsOf, includes, machineConfiguration } from "./configuration.ts";
import type { OwnerScope, PropagatedMetadata } from "./owner.ts";

/** Whether the template has changed since it was last propagated: all of it, and its labels and annotations. */
export interface TemplateChange {
  readonly isChanged: boolean;
  readonly isMetadataChanged: boolean;
}

/**
 * Gives existing machines the labels, annotations, timeouts, gates and taints of the template, and their clones the labels and
 * annotations; none of these needs a new machine. After a change every object is written once, because the cache does not show
 * which fields the last configuration had; otherwise only an object that lacks a field.
 */
export async function propagateTemplate(
  scope: OwnerScope,
  { isChanged, isMetadataChanged }: TemplateChange,
): Promise<void> {
  for (const machine of scope.machines) {
    // A machine that is being deleted may lose its finalizer and its hooks at any moment, and none must come back.
    if (machine.metadata.deletionTimestamp !== undefined) continue;
    await propagateToMachine(scope, machine, isChanged);
    if (isMetadataChanged || !isEmpty(scope.owner.metadata))
      await propagateToClones(scope, machine, isMetadataChanged);
  }
}

/** The same without clones. */
export async function propagateToMachines(scope: OwnerScope, isChanged: boolean): Promise<void> {
  for (const machine of scope.machines)
    if (machine.metadata.deletionTimestamp === undefined) await propagateToMachine(scope, machine, isChanged);
}

async function propagateToMachine(
  scope: OwnerScope,
  machine: Frozen<Machine>,
  isChanged: boolean,
): Promise<void> {
  const { owner } = scope;
  const { name, resourceVersion } = machine.metadata;
  const desired = machineConfiguration(owner, fixedFieldsOf(machine), owner.machineAnnotations(machine));
  if (!isChanged && includes(machine, desired)) return;
  await applyMachine(scope, name, { ...desired, metadata: { ...desired.metadata, resourceVersion } });
}

async function propagateToClones(
  scope: OwnerScope,
  machine: Frozen<Machine>,
  isChanged: boolean,
): Promise<void> {
  const { context, owner } = scope;
  const { bootstrap, infrastructureRef } = machine.spec;
  const { namespace = "" } = machine.metadata;
  const references = { infrastructureRef, "bootstrap.configRef": bootstrap.configRef };
  for (const [field, reference] of Object.entries(references)) {
    if (!reference) continue;
    const clone = await resolve(context, { reference, field: fieldOf(machine, field), namespace });
    if (!isCloneOf(machine, clone)) continue;
    const { kind, name } = clone.target;
    if (isChanged || !includes(clone.object.metadata, owner.metadata))
      await applyMetadata(scope, { kind, name, uid: clone.object.metadata.uid });
  }
}

function fieldOf({ metadata }: Frozen<Machine>, field: string): string {
  return `spec.${field} of Machine ${metadata.name}`;
}

/** Whether an object exists, will stay, and belongs to the machine. */
function isCloneOf(
  { metadata: { uid } }: Frozen<Machine>,
  resolved: ResolvedReference,
): resolved is ResolvedReference & { readonly state: "found" } {
  if (resolved.state !== "found") return false;
  const { deletionTimestamp, ownerReferences = [] } = resolved.object.metadata;
  return deletionTimestamp === undefined && ownerReferences.some((owner) => owner.uid === uid);
}

/** A clone, as it was read. */
interface CloneTarget {
  readonly kind: Kind;
  readonly name: ObjectName;
  readonly uid: ObjectMeta["uid"];
}

/**
 * Applies the labels and annotations of the template to a clone, with a field manager of their own, as in Cluster API: an apply
 * of these fields alone by the manager that created the clone would remove its spec. By UID, because an apply would create an
 * object that is gone.
 */
export async function applyMetadata(
  { context, owner }: Pick<OwnerScope, "context" | "owner">,
  { kind, name, uid }: CloneTarget,
): Promise<void> {
  const body = { metadata: { ...owner.metadata, uid } };
  const fieldManager = `${owner.fieldManager}-metadata`;
  await context.client.patch(kind, name, { type: "apply", body, fieldManager, force: true });
}

/** Whether a template has no labels and annotations for clones. */
export function isEmpty({ labels, annotations }: PropagatedMetadata): boolean {
  return Object.keys(labels).length === 0 && Object.keys(annotations).length === 0;
}
