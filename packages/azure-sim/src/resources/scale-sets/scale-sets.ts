import type { ErrorBody } from "../../arm/errors.ts";
import { keyOf } from "../../arm/target.ts";
import { Table } from "../../core/table.ts";
import type { JsonObject } from "../../json.ts";
import type { MachineRecord } from "../../machines/machine.ts";

/** One version of the model that a scale set creates instances from. */
export interface Model {
  readonly size: string;
  readonly isSpot: boolean;
  /** The virtualMachineProfile as written, secrets included. */
  readonly profile: JsonObject;
  /** The exact name of the image that the profile resolved to when it was written. */
  readonly image: string;
}

/** What Compute stores about a scale set besides the resource. */
export interface ScaleSet {
  readonly id: string;
  readonly subscription: string;
  readonly location: string;
  /** A GUID of this set; a later set with the same name has another one. */
  readonly uniqueId: string;
  capacity: number;
  /** The newest model. Models in use by instances are stored too. */
  modelVersion: number;
  readonly models: Record<number, Model>;
  nextInstanceId: number;
  /** When the last resize ends; a newer write takes it over. */
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
  starts?: number;
  readonly createdMs: number;
  /** When state or power last changed. */
  changedMs: number;
  /** How many pieces of work were started on it. The end of older work finds a higher number and does nothing. */
  flight: number;
  /** The operation that works on it now. */
  operation?: string | undefined;
  error?: ErrorBody | undefined;
  image: string;
  readonly addresses: readonly number[];
  readonly zone?: string;
  /** An extra instance of overprovisioning, to be deleted when enough others run. */
  isExtra?: boolean;
  /** Fields written to the instance itself: protection and tags. */
  own?: JsonObject;
}

/** The JSON of an instance without its tags, and what it depends on besides the instance. */
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
  /** Cached for instances that were read since their last change. */
  readonly texts = new WeakMap<Instance, InstanceText>();
  readonly #members = new Map<string, Map<number, Instance>>();

  constructor(isStored: boolean) {
    this.sets = new Table<ScaleSet>("scaleSet", isStored);
    this.instances = new Table<Instance>("instance", isStored);
  }

  get(id: string): ScaleSet | undefined {
    return this.sets.get(keyOf(id));
  }

  /** Puts a set, or marks it as changed. */
  save(set: ScaleSet): void {
    this.sets.set(keyOf(set.id), set);
  }

  /** The instances of a set by id, in the order of their creation. */
  members(id: string): ReadonlyMap<number, Instance> {
    return this.#members.get(keyOf(id)) ?? new Map<number, Instance>();
  }

  /** Puts an instance, or marks it as changed. */
  saveInstance(instance: Instance): void {
    this.texts.delete(instance);
    this.instances.set(instance.machineId, instance);
    this.#add(instance);
  }

  dropInstance(instance: Instance): void {
    this.instances.delete(instance.machineId);
    this.#members.get(instance.set)?.delete(instance.id);
  }

  /** Removes a set without instances. */
  drop(id: string): void {
    this.sets.delete(keyOf(id));
    this.#members.delete(keyOf(id));
  }

  /** Rebuilds the index from the rows that a store restored. */
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

/** The model that an instance was created from or upgraded to. */
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
