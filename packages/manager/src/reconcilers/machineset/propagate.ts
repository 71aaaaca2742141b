import { type Frozen, type Kind, Machine, type MachineSet, type ObjectMeta } from "@capstan/api";
import { type Context, next, type ObjectName, type Outcome } from "@capstan/runtime";
import { digest } from "@capstan/azure";
import { type ResolvedReference, resolve } from "../../contract/resolve.ts";
import {
  fixedFieldsOf,
  includes,
  machineConfiguration,
  METADATA_FIELD_MANAGER,
  type PropagatedMetadata,
  propagatedSpec,
  SET_FIELD_MANAGER,
  templateMetadata,
} from "./machine-object.ts";
import type { Scope } from "./scope.ts";

/**
 * Gives existing machines the labels, annotations, timeouts, gates and taints of the template, and their clones the labels and
 * annotations; none of these needs a new machine. After a change every object is written once, because the cache does not show
 * which fields the last configuration had; otherwise only an object that lacks a field.
 */
export async function propagateFields(scope: Scope): Promise<Outcome> {
  const { set, machines } = scope;
  const metadata = templateMetadata(set);
  const hashes = { spec: digest(propagatedSpec(set)), metadata: digest(metadata) };
  const propagatedHash = `${hashes.spec}${hashes.metadata}`;
  const isChanged = set.status?.propagatedHash !== propagatedHash;
  const isMetadataChanged = set.status?.propagatedHash?.endsWith(hashes.metadata) !== true;
  for (const machine of machines) {
    // A machine that is being deleted may lose its finalizer at any moment, and none can be added any more.
    if (machine.metadata.deletionTimestamp !== undefined) continue;
    await propagateToMachine(scope, machine, isChanged);
    if (isMetadataChanged || !isEmpty(metadata)) await propagateToClones(scope, machine, isMetadataChanged);
  }
  set.status = { ...set.status, propagatedHash };
  return next;
}

async function propagateToMachine(
  { context, set }: Scope,
  machine: Frozen<Machine>,
  isChanged: boolean,
): Promise<void> {
  const { name, namespace, resourceVersion } = machine.metadata;
  const desired = machineConfiguration(set, fixedFieldsOf(machine)) as { readonly metadata: object };
  if (!isChanged && includes(machine, desired)) return;
  const body = { ...desired, metadata: { ...desired.metadata, resourceVersion } };
  await applyMachine(context, { name, namespace }, body);
}

/** Applies the configuration of a Machine. */
export function applyMachine(
  { client }: Context<MachineSet>,
  name: { readonly name: string; readonly namespace: string | undefined },
  body: object,
): Promise<Frozen<Machine>> {
  return client.patch(Machine, name, { type: "apply", body, fieldManager: SET_FIELD_MANAGER, force: true });
}

async function propagateToClones(
  { context, set }: Scope,
  machine: Frozen<Machine>,
  isChanged: boolean,
): Promise<void> {
  const { bootstrap, infrastructureRef } = machine.spec;
  const { namespace = "" } = machine.metadata;
  const references = { infrastructureRef, "bootstrap.configRef": bootstrap.configRef };
  for (const [field, reference] of Object.entries(references)) {
    if (!reference) continue;
    const clone = await resolve(context, { reference, field: fieldOf(machine, field), namespace });
    if (!isCloneOf(machine, clone)) continue;
    const { kind, name } = clone.target;
    if (isChanged || !includes(clone.object.metadata, templateMetadata(set)))
      await applyMetadata(context, { kind, name, uid: clone.object.metadata.uid }, templateMetadata(set));
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
 * Applies the labels and annotations of the template to a clone, with a field manager of their own: an apply of these fields alone
 * by the manager that created the clone would remove its spec. By UID, because an apply would create an object that is gone.
 */
export async function applyMetadata(
  { client }: Context<MachineSet>,
  { kind, name, uid }: CloneTarget,
  metadata: PropagatedMetadata,
): Promise<void> {
  const body = { metadata: { ...metadata, uid } };
  await client.patch(kind, name, { type: "apply", body, fieldManager: METADATA_FIELD_MANAGER, force: true });
}

/** Whether a template has no labels and annotations for clones. */
export function isEmpty({ labels, annotations }: PropagatedMetadata): boolean {
  return Object.keys(labels).length === 0 && Object.keys(annotations).length === 0;
}
