import type { ErrorBody } from "../../arm/errors.ts";
import { keyOf } from "../../arm/target.ts";
import { Table } from "../../core/table.ts";
import type { JsonObject } from "../../json.ts";
import type { MachineRecord } from "../../machines/machine.ts";

/** One version of what a scale set makes its instances from. */
export interface Model {
  readonly size: string;
  readonly isSpot: boolean;
  /** The virtualMachineProfile as it was written, secrets included. */
  readonly profile: JsonObject;
  /** The exact name of the image that the profile meant when it was written. */
  readonly image: string;
}

/** What Compute keeps about a scale set beside the resource. */
export interface ScaleSet {
  readonly id: string;
  readonly subscription: string;
  readonly location: string;
  /** A GUID of this very set; another set of the same name has another. */
  readonly uniqueId: string;
  capacity: number;
  /** The newest model. Those in use by instances are kept too. */
  modelVersion: number;
  readonly models: Record<number, Model>;
  nextInstanceId: number;
  /** When the last change of size is done; a newer write takes over what the older one has begun. */
  resizedMs: number;
}

/** One virtual machine of a scale set: few fields, because there are tens of thousands. */
export interface Instance extends MachineRecord {
  /** The ARM id of the set in lower case. */
  readonly set: string;
  readonly id: number;
  readonly vmId: string;
  model: number;
  state: MachineRecord["state"];
  power: MachineRecord["power"];
  readonly createdMs: number;
  /** When state or power last changed. */
  changedMs: number;
  /** How many pieces of work were started on it: the end of an older one finds another number and does nothing. */
  flight: number;
  /** The operation that works on it now. */
  operation?: string | undefined;
  error?: ErrorBody | undefined;
  image: string;
  readonly addresses: readonly number[];
  readonly zone?: string;
  /** One of those made in excess, to be removed when enough are up. */
  isExtra?: boolean;
  /** What was written to the instance itself: protection and tags. */
  own?: JsonObject;
}

/** The JSON of an instance but for its tags, and what is in it that is not the instance's own. */
export interface InstanceText {
  readonly text: string;
  readonly modelVersion: number;
  readonly isExpanded: boolean;
}

/** All scale sets and their instances. */
export class ScaleSets {
  readonly sets: Table<ScaleSet>;
  /** By the ARM id of the instance in lower case. */
  readonly instances: Table<Instance>;
  /** Those that were shown since they last changed. */
  readonly texts = new WeakMap<Instance, InstanceText>();
  readonly #members = new Map<string, Map<number, Instance>>();

  constructor(isStored: boolean) {
    this.sets = new Table<ScaleSet>("scaleSet", isStored);
    this.instances = new Table<Instance>("instance", isStored);
  }

  get(id: string): ScaleSet | undefined {
    return this.sets.get(keyOf(id));
  }

  /** Puts a set, or says that it has changed. */
  save(set: ScaleSet): void {
    this.sets.set(keyOf(set.id), set);
  }

  /** The instances of a set by id, in the order of their creation. */
  members(id: string): ReadonlyMap<number, Instance> {
    return this.#members.get(keyOf(id)) ?? new Map<number, Instance>();
  }

  /** Puts an instance, or says that it has changed. */
  saveInstance(instance: Instance): void {
    this.texts.delete(instance);
    this.instances.set(instance.machineId, instance);
    this.#add(instance);
  }

  dropInstance(instance: Instance): void {
    this.instances.delete(instance.machineId);
    this.#members.get(instance.set)?.delete(instance.id);
  }

  /** Drops a set whose instances are gone. */
  drop(id: string): void {
    this.sets.delete(keyOf(id));
    this.#members.delete(keyOf(id));
  }

  /** Takes up the instances that a store gave back. */
  restored(): void {
    const rows = [...this.instances.entries()].map(([, instance]) => instance);
    for (const instance of rows.sort((a, b) => a.id - b.id)) this.#add(instance);
  }

  #add(instance: Instance): void {
    const members = this.#members.get(instance.set);
    if (members) members.set(instance.id, instance);
    else this.#members.set(instance.set, new Map([[instance.id, instance]]));
  }
}

/** The machine id of an instance: the ARM id in lower case, from that of its set. */
export function instanceMachineId(set: string, id: number | string): string {
  return `${set}/virtualmachines/${id}`;
}

/** The model an instance was made from or upgraded to. */
export function modelOf(set: ScaleSet, instance: Instance): Model {
  const model = set.models[instance.model];
  if (!model) throw new Error(`${set.id}: model ${instance.model} of instance ${instance.id} is lost`);
  return model;
}

/** The newest model of a set. */
export function latestModel(set: ScaleSet): Model {
  const model = set.models[set.modelVersion];
  if (!model) throw new Error(`${set.id}: model ${set.modelVersion} is lost`);
  return model;
}
