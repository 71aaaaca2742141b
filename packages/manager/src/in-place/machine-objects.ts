/** The objects of one machine, as updaters get to see them. */
import type { Frozen } from "@capstan/api";
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
