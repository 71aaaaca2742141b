import type { ErrorBody } from "../../arm/errors.ts";
import { keyOf } from "../../arm/target.ts";
import { Table } from "../../core/table.ts";
import type { MachineRecord } from "../../machines/machine.ts";

/** What Compute stores about a virtual machine besides the resource. */
export interface VirtualMachine extends MachineRecord {
  /** The ARM id as Compute spells it. */
  readonly id: string;
  readonly subscription: string;
  readonly location: string;
  readonly vmId: string;
  /** The id of its system-assigned identity, if it has one. */
  readonly principalId: string;
  readonly zone?: string;
  readonly isSpot: boolean;
  size: string;
  state: MachineRecord["state"];
  power: MachineRecord["power"];
  starts?: number;
  /** Whether it has lost its place on hardware: from its deallocation to its next start. */
  isUnplaced?: boolean;
  readonly createdMs: number;
  /** When state or power last changed. */
  changedMs: number;
  /** How many pieces of work were started on it. The end of older work finds a higher number and does nothing. */
  flight: number;
  /** The operation that works on it now. */
  operation?: string | undefined;
  error?: ErrorBody | undefined;
}

/** All virtual machines outside scale sets. */
export class VirtualMachines {
  /** By the ARM id of the machine in lower case. */
  readonly table: Table<VirtualMachine>;

  constructor(isStored: boolean) {
    this.table = new Table<VirtualMachine>("virtualMachine", isStored);
  }

  get(id: string): VirtualMachine | undefined {
    return this.table.get(keyOf(id));
  }

  /** Puts a machine, or marks it as changed. */
  save(machine: VirtualMachine): void {
    this.table.set(machine.machineId, machine);
  }

  drop({ machineId }: VirtualMachine): void {
    this.table.delete(machineId);
  }
}
