/** What a virtual machine is doing, as PowerState shows it. */
export type PowerState =
  | "creating"
  | "starting"
  | "running"
  | "stopping"
  | "stopped"
  | "deallocating"
  | "deallocated";

/** What Compute keeps about every virtual machine, whichever type of resource it is. */
export interface MachineRecord {
  /** The ARM id of the machine in lower case: machines are looked up by it everywhere. */
  readonly machineId: string;
  readonly state: "Creating" | "Updating" | "Succeeded" | "Failed" | "Deleting";
  readonly power: PowerState;
  /** How often it was powered on. Machines of older stores have none. */
  readonly starts?: number;
  /** The exact name of the image its OS disk was made from. */
  readonly image: string;
}

/** A virtual machine from the inside: what its guest learns when it boots. */
export interface Machine {
  /** The ARM id as Compute spells it. */
  readonly id: string;
  readonly vmId: string;
  /** How often it was powered on: a guest compares it with its last boot. */
  readonly starts: number;
  readonly computerName: string;
  readonly size: string;
  readonly location: string;
  readonly zone?: string;
  readonly power: PowerState;
  readonly privateAddresses: readonly string[];
  /** The numbers of its data disks; none unless given. */
  readonly luns?: readonly number[];
  /** What the guest runs when it is provisioned, as it was written: base64. */
  readonly customData?: string;
}

/** A type of resource whose resources are virtual machines, such as instances of scale sets. */
export interface MachineSource {
  /** All machines of this type, in the order of their creation. */
  records(): Iterable<MachineRecord>;
  /** The machine with this id in lower case; undefined when this type has none. */
  record(machineId: string): MachineRecord | undefined;
  /** The same machine from the inside. */
  machine(machineId: string): Machine | undefined;
}
