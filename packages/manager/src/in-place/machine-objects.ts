/** The objects of one machine, and what updaters get to see of them. */
import { type CanUpdateMachineRequest, type Frozen, isJsonObject } from "@capstan/api";
import type { ContractObject } from "../contract/contract-object.ts";

/** A machine, its infrastructure machine, and its bootstrap config if it has one. */
export interface MachineObjects {
  readonly machine: Frozen<ContractObject>;
  readonly infraMachine: Frozen<ContractObject>;
  readonly bootstrap: Frozen<ContractObject> | undefined;
}

/** The objects of a machine before and after an update, in the versions that are stored. */
export interface ComparedObjects {
  readonly current: MachineObjects;
  readonly desired: MachineObjects;
}

/**
 * The templates of a set as the objects of a machine that is made from them; the set itself takes the place of the machine.
 * So changes of templates have the paths that changes of machines have.
 */
export function asMachineObjects({ machine: set, infraMachine, bootstrap }: MachineObjects): MachineObjects {
  const { apiVersion, metadata } = set;
  return {
    machine: { apiVersion, kind: "Machine", metadata, spec: templateSpecOf(set) },
    infraMachine: madeFrom(infraMachine),
    bootstrap: bootstrap && madeFrom(bootstrap),
  };
}

function madeFrom(template: Frozen<ContractObject>): Frozen<ContractObject> {
  const kind = template.kind.replace(/Template$/, "");
  return { ...template, kind, spec: templateSpecOf(template) };
}

/** The spec that a set or a template gives to what is made from it. */
export function templateSpecOf({ spec }: { readonly spec?: unknown }): Readonly<Record<string, unknown>> {
  const template = isJsonObject(spec) ? spec["template"] : undefined;
  const inner = isJsonObject(template) ? template["spec"] : undefined;
  return isJsonObject(inner) ? inner : {};
}

/** The question to an updater which changes it can make, for both dialects. */
export interface UpdaterQuestion {
  /** The question by paths. */
  readonly request: CanUpdateMachineRequest;
  /** The objects of the machine, as Cluster API's dialect shows them. */
  readonly objects: ComparedObjects;
  /** The set of the machine and its templates, if it has one. */
  readonly sets?: ComparedObjects;
  /** The changes by paths between the objects of a machine. */
  readonly changesBetween: (compared: ComparedObjects) => readonly string[];
}

/** The parts of an object that an updater needs: no status, no managers of fields, no owners. */
export function shownObject({ apiVersion, kind, metadata, spec }: Frozen<ContractObject>) {
  const { name, namespace, uid, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec,
  };
}
