import { deepEqual } from "@capstan/api";
import { normalizedId } from "../normalized-id.ts";
import { byProviderID } from "./by-provider-id.ts";
import type { ScaleSetInstance } from "./instance.ts";

/** What the last complete list says about one instance. Nobody knows anything before the first list of a process. */
export type ObservedInstance =
  | { readonly state: "seen"; readonly instance: ScaleSetInstance; readonly atMs: number }
  | { readonly state: "gone"; readonly atMs: number }
  | { readonly state: "unknown" };

/** Is told the provider ids of instances that came, went or changed. */
export type InstanceListener = (providerIDs: readonly string[]) => void;

interface ListedSet {
  /** By folded provider id. */
  readonly instances: ReadonlyMap<string, ScaleSetInstance>;
  readonly atMs: number;
}

/**
 * What the instances of all scale sets were like when they were listed last. Whoever lists a set records it here; all
 * others look here and never ask Azure: a list costs a token an instance.
 */
export class InstanceCache {
  readonly #sets = new Map<string, ListedSet>();
  readonly #listeners: InstanceListener[] = [];

  /** Takes up a complete list; `atMs` is the wall clock when it set out. */
  record(scaleSetID: string, instances: readonly ScaleSetInstance[], atMs: number): void {
    const before = this.#sets.get(normalizedId(scaleSetID))?.instances ?? new Map<string, ScaleSetInstance>();
    const after = byProviderID(instances);
    this.#sets.set(normalizedId(scaleSetID), { instances: after, atMs });
    const gone = [...before].filter(([key]) => !after.has(key));
    const changed = [...after].filter(([key, instance]) => isChanged(before.get(key), instance));
    const providerIDs = [...gone, ...changed].map(([, { providerID }]) => providerID);
    if (providerIDs.length === 0) return;
    for (const listener of this.#listeners) listener(providerIDs);
  }

  /** What is known about the instance with that provider id. */
  instance(providerID: string): ObservedInstance {
    const set = this.#sets.get(setOf(providerID));
    if (!set) return { state: "unknown" };
    const instance = set.instances.get(normalizedId(providerID));
    return instance ? { state: "seen", instance, atMs: set.atMs } : { state: "gone", atMs: set.atMs };
  }

  /** Tells of changes from now on. */
  onChange(listener: InstanceListener): void {
    this.#listeners.push(listener);
  }

  /** The scale set is of no interest any more. */
  forget(scaleSetID: string): void {
    this.#sets.delete(normalizedId(scaleSetID));
  }
}

/** The folded ARM id of the scale set that a provider id names an instance of. */
function setOf(providerID: string): string {
  return normalizedId(providerID)
    .replace(/^azure:\/\//, "")
    .replace(/\/virtualmachines\/[^/]*$/, "");
}

/** Whether anything is different that a machine tells of its instance. Comparing all that Azure says takes far longer. */
function isChanged(before: ScaleSetInstance | undefined, after: ScaleSetInstance): boolean {
  if (before === after) return false;
  return before === undefined || !TOLD.every((field) => deepEqual(before[field], after[field]));
}

const TOLD = [
  "provisioningState",
  "powerState",
  "isLatestModel",
  "provisionedAtMs",
  "vmID",
  "computerName",
  "name",
  "error",
] as const satisfies readonly (keyof ScaleSetInstance)[];
