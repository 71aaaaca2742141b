import { controllerReferenceTo, type Frozen, type Machine, type ObjectReference } from "@capstan/api";
import { waiting } from "@capstan/runtime";
import { cloneTemplate } from "../../contract/clone-template.ts";
import type { ContractObject } from "../../contract/contract-object.ts";
import { withPrototypeImage } from "../../contract/prototype-image.ts";
import { targetOf } from "../../contract/reference.ts";
import { absence, resolve, type ResolvedReference } from "../../contract/resolve.ts";
import { membershipLabels, SET_FIELD_MANAGER, templateMetadata } from "./machine-object.ts";
import { applyMetadata, isEmpty } from "./propagate.ts";
import type { Scope } from "./scope.ts";

/** The templates of a MachineSet, as they exist now. */
export interface Templates {
  readonly infrastructure: Frozen<ContractObject>;
  readonly bootstrap?: Frozen<ContractObject>;
}

const SUFFIX = "Template";

/** Reads the templates. Throws while one is missing, so that no machine is created that could never boot. */
export async function readTemplates(scope: Scope): Promise<Templates> {
  const { infrastructureRef, bootstrap } = scope.set.spec.template.spec;
  const field = "spec.template.spec";
  const infrastructure = await readTemplate(scope, infrastructureRef, `${field}.infrastructureRef`);
  const { configRef } = bootstrap;
  if (!configRef) return { infrastructure };
  return { infrastructure, bootstrap: await readTemplate(scope, configRef, `${field}.bootstrap.configRef`) };
}

async function readTemplate(
  { context, set }: Scope,
  reference: Frozen<ObjectReference>,
  field: string,
): Promise<Frozen<ContractObject>> {
  const { namespace = "" } = set.metadata;
  const resolved = await resolve(context, { reference, field, namespace });
  if (resolved.state === "found") return checked(resolved);
  throw waiting(
    "WaitingForTemplate",
    `${field}: ${absence(resolved)}`,
    resolved.isFollowed ? undefined : 30_000,
  );
}

/** A template that cannot be cloned is reported before the first machine is created. */
function checked({ object }: ResolvedReference & { readonly state: "found" }): Frozen<ContractObject> {
  cloneTemplate(object, { name: "x", clusterName: "x" });
  return object;
}

/** A reference to the clone of a template, which has the name of its machine. */
export function cloneReference(template: Frozen<ContractObject>, name: string): ObjectReference {
  const { apiVersion, kind, metadata } = template;
  const { namespace } = metadata;
  return {
    apiVersion,
    kind: kind.slice(0, -SUFFIX.length),
    name,
    ...(namespace !== undefined && { namespace }),
  };
}

/**
 * Creates the infrastructure and the bootstrap config of a machine, if they do not exist. The machine exists before, so
 * its clones are owned by it from the start, and a crash in between leaves nothing behind that no object owns.
 */
export async function ensureClones(
  scope: Scope,
  machine: Frozen<Machine>,
  templates: Templates,
): Promise<void> {
  const { bootstrap, infrastructureRef } = machine.spec;
  const { status } = machine;
  if (templates.bootstrap && bootstrap.configRef && status?.bootstrapReady !== true)
    await ensureClone(scope, machine, { reference: bootstrap.configRef, template: templates.bootstrap });
  if (status?.infrastructureReady !== true)
    await ensureClone(scope, machine, { reference: infrastructureRef, template: templates.infrastructure });
}

interface CloneRequest {
  readonly reference: Frozen<ObjectReference>;
  readonly template: Frozen<ContractObject>;
}

async function ensureClone(
  { context, set }: Scope,
  machine: Frozen<Machine>,
  { reference, template }: CloneRequest,
): Promise<void> {
  const { namespace = "" } = machine.metadata;
  const pointer = { reference, field: `the reference of Machine ${machine.metadata.name}`, namespace };
  const resolved = await resolve(context, pointer);
  if (resolved.state === "found") return;
  // The template may have been exchanged for one of another kind since the machine was created.
  if (!isCloneOf(reference, template)) return;
  const { kind, name } = targetOf(pointer);
  const clone = cloneTemplate(template, {
    name: machine.metadata.name,
    clusterName: set.spec.clusterName,
    labels: membershipLabels(set),
    owner: controllerReferenceTo(machine),
  });
  const { metadata } = await context.client.patch(kind, name, {
    type: "apply",
    body: withPrototypeImage(clone, template, machine.spec.version),
    fieldManager: SET_FIELD_MANAGER,
    force: true,
  });
  const own = templateMetadata(set);
  // After a crash before this write, the next pass finds that the clone lacks them.
  if (!isEmpty(own)) await applyMetadata(context, { kind, name, uid: metadata.uid }, own);
}

function isCloneOf(reference: Frozen<ObjectReference>, template: Frozen<ContractObject>): boolean {
  return `${reference.kind}${SUFFIX}` === template.kind;
}
