import {
  type ContractReference,
  controllerReferenceTo,
  type Frozen,
  groupOf,
  type KubernetesObject,
  type Machine,
} from "@capstan/api";
import { waiting } from "@capstan/runtime";
import { cloneTemplate } from "../contract/clone-template.ts";
import type { ContractObject } from "../contract/contract-object.ts";
import { absence, type FoundReference, type ObjectReader, resolve } from "../contract/resolve.ts";
import type { Pointer } from "../contract/reference.ts";
import type { MachineOwner, OwnerScope, TemplateReference } from "./owner.ts";
import { applyMetadata, isEmpty } from "./propagate.ts";

/** What the infrastructure and the bootstrap config of a new machine are made from. */
export interface CloneSources {
  readonly infrastructure: CloneSource;
  /** Undefined if a user provides the bootstrap data. */
  readonly bootstrap?: CloneSource;
}

interface CloneSource {
  readonly apiVersion: string;
  /** The kind of the clone. */
  readonly kind: string;
  readonly cloneFor: (machine: Frozen<Machine>) => KubernetesObject;
  /** Whether an apply over an existing clone, which the cache does not show yet, would change it for the worse. */
  readonly isWrittenOnce: boolean;
}

const SUFFIX = "Template";

/** Reads the templates. Throws while one is missing, so that no machine is created that could never boot. */
export async function readCloneSources(reader: ObjectReader, owner: MachineOwner): Promise<CloneSources> {
  const infrastructure = sourceFrom(
    await readTemplate(reader, owner, owner.infrastructure),
    owner,
    owner.adjustClone,
  );
  const { bootstrap } = owner;
  switch (bootstrap.from) {
    case "secret":
      return { infrastructure };
    case "template":
      return { infrastructure, bootstrap: sourceFrom(await readTemplate(reader, owner, bootstrap), owner) };
    case "owner": {
      const { apiVersion, kind } = bootstrap.kind;
      const source = { apiVersion, kind, cloneFor: bootstrap.config, isWrittenOnce: true };
      return { infrastructure, bootstrap: source };
    }
  }
}

/** Reads a template of an owner. One that cannot be cloned is reported before the first machine is created. */
export async function readTemplate(
  reader: ObjectReader,
  { object }: Pick<MachineOwner, "object">,
  { reference, field }: TemplateReference,
): Promise<Frozen<ContractObject>> {
  const { namespace = "" } = object.metadata;
  const template = (await requireObject(reader, { reference, field, namespace })).object;
  cloneTemplate(template, { name: "x", clusterName: "x" });
  return template;
}

// For kinds that the cache does not follow.
const LOOKUP_MS = 30_000;

/** Reads a template, or an object of a machine, that has to exist. Throws a Failure that waits for it. */
export async function requireObject(reader: ObjectReader, pointer: Pointer): Promise<FoundReference> {
  const resolved = await resolve(reader, pointer);
  if (resolved.state === "found") return resolved;
  const message = `${pointer.field}: ${absence(resolved)}`;
  throw waiting("WaitingForTemplate", message, resolved.isFollowed ? undefined : LOOKUP_MS);
}

function sourceFrom(
  template: Frozen<ContractObject>,
  { clusterName, membership }: MachineOwner,
  adjust: MachineOwner["adjustClone"] = (clone) => clone,
): CloneSource {
  return {
    apiVersion: template.apiVersion,
    kind: template.kind.slice(0, -SUFFIX.length),
    cloneFor: (machine) => {
      const { name } = machine.metadata;
      const owner = controllerReferenceTo(machine);
      const clone = cloneTemplate(template, { name, clusterName, labels: membership, owner });
      return adjust(clone, template, machine.spec.version);
    },
    isWrittenOnce: false,
  };
}

/** A reference to the clone for a machine, which has the name of the machine. */
export function cloneReference({ apiVersion, kind }: CloneSource, name: string): ContractReference {
  return { apiGroup: groupOf(apiVersion), kind, name };
}

/** Whether a machine may lack its infrastructure or its bootstrap config. */
export function needsClones({ metadata, status }: Frozen<Machine>): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const { infrastructureProvisioned, bootstrapDataSecretCreated } = status?.initialization ?? {};
  return infrastructureProvisioned !== true || bootstrapDataSecretCreated !== true;
}

/**
 * Creates the infrastructure and the bootstrap config of a machine, if they do not exist. The machine exists before, so
 * its clones are owned by it from the start, and a crash in between leaves nothing behind that no object owns.
 */
export async function ensureClones(
  scope: OwnerScope,
  machine: Frozen<Machine>,
  { infrastructure, bootstrap }: CloneSources,
): Promise<void> {
  const { spec, status } = machine;
  const { configRef } = spec.bootstrap;
  if (bootstrap && configRef && status?.initialization?.bootstrapDataSecretCreated !== true)
    await ensureClone(scope, machine, { reference: configRef, source: bootstrap });
  if (status?.initialization?.infrastructureProvisioned !== true)
    await ensureClone(scope, machine, { reference: spec.infrastructureRef, source: infrastructure });
}

interface CloneRequest {
  readonly reference: Frozen<ContractReference>;
  readonly source: CloneSource;
}

async function ensureClone(
  { context, owner }: OwnerScope,
  machine: Frozen<Machine>,
  { reference, source }: CloneRequest,
): Promise<void> {
  const { namespace = "" } = machine.metadata;
  const pointer = { reference, field: `the reference of Machine ${machine.metadata.name}`, namespace };
  const resolved = await resolve(context, pointer);
  if (resolved.state === "found") return;
  // The template may have been exchanged for one of another kind since the machine was created.
  if (reference.kind !== source.kind) return;
  const { kind, name } = resolved.target;
  const body = source.cloneFor(machine);
  if (source.isWrittenOnce && (await context.client.find(kind, name))) return;
  const { metadata } = await context.client.patch(kind, name, {
    type: "apply",
    body,
    fieldManager: owner.fieldManager,
    force: true,
  });
  // After a crash before this write, the next pass finds that the clone lacks them.
  if (!isEmpty(owner.metadata)) await applyMetadata({ context, owner }, { kind, name, uid: metadata.uid });
}
