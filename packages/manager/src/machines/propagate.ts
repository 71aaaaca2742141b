import {
  type Frozen,
  includes,
  type Kind,
  type KubernetesObject,
  Machine,
  type ObjectMeta,
} from "@capstan/api";
import {
  type ContestedFields,
  type Context,
  Failure,
  FIELD_CONTESTED,
  type ObjectName,
} from "@capstan/runtime";
import type { ContractObject } from "../contract/contract-object.ts";
import { dropCondition } from "../contract/ready.ts";
import { resolve, type ResolvedReference } from "../contract/resolve.ts";
import { applyMachine, fixedFieldsOf, machineConfiguration } from "./configuration.ts";
import type { OwnerScope, PropagatedMetadata } from "./owner.ts";

/** When a contested field is tried again, unless the failure says it. */
export const CONTEST_MS = 60_000;

/** Notes that another client keeps changing a field of one machine back: the other machines are served. */
export async function unlessContested(
  scope: { contest?: Failure },
  propagate: () => Promise<void>,
): Promise<void> {
  try {
    await propagate();
  } catch (error) {
    if (!(error instanceof Failure) || error.reason !== FIELD_CONTESTED) throw error;
    scope.contest ??= error;
  }
}

/** Condition of an owner: whether its machines have the fields of the template that need no new machine. Only present while they do not. */
export const FIELDS_PROPAGATED = "FieldsPropagated";

/** Reports that another client keeps changing a field of a machine back. */
export function reportContest(
  { setCondition }: Pick<Context<KubernetesObject>, "setCondition">,
  owner: Parameters<typeof dropCondition>[0],
  contest: Failure | undefined,
): void {
  if (!contest) {
    dropCondition(owner, FIELDS_PROPAGATED);
    return;
  }
  setCondition({
    type: FIELDS_PROPAGATED,
    status: "False",
    severity: "Warning",
    reason: "FieldContested",
    message: contest.message,
  });
}

/** The machines that follow their template: one that is being deleted may lose its finalizer and its hooks at any moment. */
export function followers({ machines }: OwnerScope): readonly Frozen<Machine>[] {
  return machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/**
 * Gives a machine the labels, annotations, timeouts, gates and taints of the template, which need no new machine: if it lacks
 * one, or after a change, because the cache does not show which fields the last configuration had.
 */
export async function propagateToMachine(
  scope: OwnerScope,
  machine: Frozen<Machine>,
  isChanged: boolean,
): Promise<void> {
  const { owner, contested } = scope;
  const { name, resourceVersion } = machine.metadata;
  const configuration = machineConfiguration(
    owner,
    fixedFieldsOf(machine),
    owner.machineAnnotations(machine),
  );
  if (!isChanged && includes(machine, configuration)) return;
  const apply = { name: machine.metadata, configuration, observed: machine };
  await contested.beforeApply(portsOf(scope), Machine, apply);
  const { metadata } = configuration;
  const applied = await applyMachine(scope, name, {
    ...configuration,
    metadata: { ...metadata, resourceVersion },
  });
  contested.afterApply(Machine, apply, applied);
}

/** Gives the clones of a machine the labels and annotations of the template: if they lack one, or may have others of it. */
export async function propagateToClones(
  scope: OwnerScope,
  machine: Frozen<Machine>,
  mayHaveOthers: (clone: Frozen<ObjectMeta>) => boolean,
): Promise<void> {
  const { context, owner, contested } = scope;
  const { bootstrap, infrastructureRef } = machine.spec;
  const { namespace = "" } = machine.metadata;
  const references = { infrastructureRef, "bootstrap.configRef": bootstrap.configRef };
  for (const [field, reference] of Object.entries(references)) {
    if (!reference) continue;
    const clone = await resolve(context, { reference, field: fieldOf(machine, field), namespace });
    if (!isCloneOf(machine, clone)) continue;
    const { kind, name } = clone.target;
    const { metadata } = clone.object;
    if (!mayHaveOthers(metadata) && includes(metadata, owner.metadata)) continue;
    const apply = { name, configuration: { metadata: owner.metadata }, observed: clone.object };
    await contested.beforeApply(portsOf(scope), kind, apply);
    contested.afterApply(kind, apply, await applyMetadata(scope, { kind, name, uid: metadata.uid }));
  }
}

function portsOf({ context: { client, env } }: OwnerScope): Parameters<ContestedFields["beforeApply"]>[0] {
  return { client, clock: env.clock };
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
  readonly kind: Kind<ContractObject>;
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
): Promise<Frozen<ContractObject>> {
  const body = { metadata: { ...owner.metadata, uid } };
  const fieldManager = `${owner.fieldManager}-metadata`;
  return await context.client.patch(kind, name, { type: "apply", body, fieldManager, force: true });
}

/** Whether a template has no labels and annotations for clones. */
export function isEmpty({ labels, annotations }: PropagatedMetadata): boolean {
  return Object.keys(labels).length === 0 && Object.keys(annotations).length === 0;
}
