/** The objects of one machine, and what updaters get to see of them. */
import type { CanUpdateMachineRequest, Frozen } from "@capstan/api";
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

/** The question to an updater which changes it can make, for both dialects. */
export interface UpdaterQuestion {
  /** The question by paths. */
  readonly request: CanUpdateMachineRequest;
  readonly objects: ComparedObjects;
  /** The changes by paths that are left between these objects and the desired ones. */
  readonly changesFrom: (current: MachineObjects) => readonly string[];
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
