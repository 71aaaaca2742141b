import type { Frozen, MachineSet } from "@capstan/api";
import type { ContractObject } from "../../../contract/contract-object.ts";
import { type ObjectReader, resolve } from "../../../contract/resolve.ts";
import type { ComparedObjects, MachineObjects } from "../../../in-place/machine-objects.ts";
import type { MachineOwner, TemplateReference } from "../../../machines/owner.ts";
import { setOwner } from "../../../machines/set-owner.ts";

/** A set, and the set that its machines move to. */
export interface SetChange {
  readonly set: Frozen<MachineSet>;
  /** The old set with the template of its deployment. */
  readonly owner: MachineOwner;
  readonly target: string;
}

/** The sets and templates before and after a change, for Cluster API's dialect; undefined if an old template is gone. */
export async function comparedSets(
  reader: ObjectReader,
  { set, owner, target }: SetChange,
): Promise<ComparedObjects | undefined> {
  const desiredOwner = owner.object as unknown as Frozen<MachineSet>;
  const desiredSet = { ...desiredOwner, metadata: { ...desiredOwner.metadata, name: target } };
  const current = await withTemplates(reader, set, setOwner(set));
  const desired = await withTemplates(reader, desiredSet, owner);
  return current && desired && { current, desired };
}

async function withTemplates(
  reader: ObjectReader,
  set: Frozen<MachineSet>,
  { infrastructure, bootstrap }: MachineOwner,
): Promise<MachineObjects | undefined> {
  const { namespace = "" } = set.metadata;
  const read = async ({
    reference,
    field,
  }: TemplateReference): Promise<Frozen<ContractObject> | undefined> => {
    const resolved = await resolve(reader, { reference, field, namespace });
    return resolved.state === "found" ? resolved.object : undefined;
  };
  const template = await read(infrastructure);
  const config = bootstrap.from === "template" ? await read(bootstrap) : undefined;
  if (!template || (bootstrap.from === "template" && !config)) return undefined;
  return { machine: set as unknown as Frozen<ContractObject>, infraMachine: template, bootstrap: config };
}
