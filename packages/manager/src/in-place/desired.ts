import {
  controllerReferenceTo,
  type Frozen,
  type KubernetesObject,
  type Machine,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { cloneTemplate } from "../contract/clone-template.ts";
import type { ContractObject } from "../contract/contract-object.ts";
import type { FoundReference, ObjectReader } from "../contract/resolve.ts";
import { readTemplate, requireObject } from "../machines/clones.ts";
import type { BootstrapSource, MachineOwner, TemplateReference } from "../machines/owner.ts";
import {
  comparePart,
  type DesiredState,
  desiredStateOr,
  Impossible,
  type PartToCompare,
  updateQuestion,
} from "./compare.ts";

/** The objects of a machine, each with the configuration that the owner applies over it. All keep their names. */
export interface DesiredParts {
  readonly infrastructure: PartToCompare;
  readonly bootstrap: PartToCompare | undefined;
}

/** Compares a machine with what its owner would create now. */
export function desiredState(
  reader: ObjectReader,
  { owner, machine, parts }: Comparison,
): Promise<DesiredState> {
  return desiredStateOr(async () => {
    const desired = await parts();
    const infrastructure = await comparePart(reader.client, desired.infrastructure);
    const bootstrap = desired.bootstrap && (await comparePart(reader.client, desired.bootstrap));
    return updateQuestion(machine, desiredMachine(owner, machine), { infrastructure, bootstrap });
  });
}

/** A machine, and the owner whose desired state it is compared with. */
export interface Comparison {
  readonly owner: MachineOwner;
  readonly machine: Frozen<Machine>;
  readonly parts: () => Promise<DesiredParts>;
}

/** The desired infrastructure and bootstrap config of a machine. Throws `Impossible` if one cannot become the desired one. */
export async function desiredParts(
  reader: ObjectReader,
  owner: MachineOwner,
  machine: Frozen<Machine>,
): Promise<DesiredParts> {
  const { metadata, spec } = machine;
  const { namespace = "" } = metadata;
  const { fieldManager } = owner;
  const vm = await requireObject(reader, {
    reference: spec.infrastructureRef,
    field: INFRASTRUCTURE,
    namespace,
  });
  const infrastructure: PartToCompare = {
    name: "infraMachine",
    existing: vm,
    body: await desiredClone(reader, { owner, machine, existing: vm }, owner.infrastructure),
    fieldManager,
  };
  const { configRef } = spec.bootstrap;
  if (!configRef) {
    requireSameSecret(owner, machine);
    return { infrastructure, bootstrap: undefined };
  }
  const config = await requireObject(reader, { reference: configRef, field: BOOTSTRAP, namespace });
  const body = await desiredBootstrap(reader, { owner, machine, existing: config }, owner.bootstrap);
  return { infrastructure, bootstrap: { name: "bootstrap", existing: config, body, fieldManager } };
}

/** A machine without a bootstrap config has nothing that updaters could change. */
function requireSameSecret({ bootstrap }: MachineOwner, { spec }: Frozen<Machine>): void {
  if (bootstrap.from !== "secret")
    throw new Impossible(BOOTSTRAP, "the machine has no bootstrap config, and the new template has one");
  const { dataSecretName = "none" } = spec.bootstrap;
  if (dataSecretName !== (bootstrap.name ?? "none"))
    throw new Impossible(
      "machine.spec.bootstrap.dataSecretName",
      `the machine was made from Secret ${dataSecretName}, and the new template names ${bootstrap.name ?? "none"}`,
    );
}

const INFRASTRUCTURE = "machine.spec.infrastructureRef";
const BOOTSTRAP = "machine.spec.bootstrap.configRef";

interface Part {
  readonly owner: MachineOwner;
  readonly machine: Frozen<Machine>;
  readonly existing: FoundReference;
}

// A provider may allow a change only under this annotation.
const IN_PROGRESS = { [UPDATE_IN_PROGRESS_ANNOTATION]: "" };

async function desiredClone(
  reader: ObjectReader,
  { owner, machine, existing }: Part,
  reference: TemplateReference,
): Promise<KubernetesObject> {
  const template = await readTemplate(reader, owner, reference);
  if (template.kind !== `${existing.object.kind}Template`)
    throw new Impossible(
      reference === owner.infrastructure ? INFRASTRUCTURE : BOOTSTRAP,
      `a ${existing.object.kind} cannot become what a ${template.kind} describes`,
    );
  return updatedClone(template, { owner, machine, name: existing.target.name.name });
}

/** The clone of a template that is applied over an object of a machine, which keeps its name. */
export function updatedClone(
  template: Frozen<ContractObject>,
  { owner, machine, name }: Pick<Part, "owner" | "machine"> & { readonly name: string },
): KubernetesObject {
  return cloneTemplate(template, {
    name,
    clusterName: owner.clusterName,
    // The labels and annotations of the template have a field manager of their own, which stays their owner.
    labels: owner.membership,
    annotations: IN_PROGRESS,
    owner: controllerReferenceTo(machine),
  });
}

async function desiredBootstrap(
  reader: ObjectReader,
  part: Part,
  source: BootstrapSource,
): Promise<KubernetesObject> {
  switch (source.from) {
    case "secret":
      throw new Impossible(BOOTSTRAP, "the new template has no spec.template.spec.bootstrap.configRef");
    case "template":
      return desiredClone(reader, part, source);
    case "owner": {
      const { owner, machine, existing } = part;
      const { metadata, ...config } = source.config(desiredMachine(owner, machine), existing.object);
      const { name } = existing.object.metadata;
      const annotations = { ...metadata.annotations, ...IN_PROGRESS };
      return { ...config, metadata: { ...metadata, name, annotations } };
    }
  }
}

/** A machine whose provider chose its failure domain keeps it if the owner names none. */
function desiredMachine({ version, failureDomain }: MachineOwner, machine: Frozen<Machine>): Frozen<Machine> {
  const { version: _, ...spec } = machine.spec;
  return {
    ...machine,
    spec: {
      ...spec,
      ...(version !== undefined && { version }),
      ...(failureDomain !== undefined && { failureDomain }),
    },
  };
}
