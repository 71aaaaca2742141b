import { deepEqual } from "@capstan/api";
import { normalizedId } from "../normalized-id.ts";
import { byProviderID } from "./by-provider-id.ts";
import type { ScaleSetInstance } from "./instance.ts";

/** The state of one instance in the last complete list; unknown before the first list of a process. */
export type ObservedInstance =
  | { readonly state: "seen"; readonly instance: ScaleSetInstance; readonly atMs: number }
  | { readonly state: "gone"; readonly atMs: number }
  | { readonly state: "unknown" };

/** Gets the provider ids of instances that were added, removed or changed. */
export type InstanceListener = (providerIDs: readonly string[]) => void;

interface ListedSet {
  /** By normalized provider id. */
  readonly instances: ReadonlyMap<string, ScaleSetInstance>;
  readonly atMs: number;
}

/**
 * The instances of all scale sets as they were last listed. The pool controller records each list here; the machine
 * controllers read it instead of Azure, because a list is charged one token for each instance.
 */
export class InstanceCache {
  readonly #sets = new Map<string, ListedSet>();
  readonly #listeners: InstanceListener[] = [];

  /** Records a complete list; `atMs` is the wall clock when the list started. */
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

  /** The known state of the instance with that provider id. */
  instance(providerID: string): ObservedInstance {
    const set = this.#sets.get(setOf(providerID));
    if (!set) return { state: "unknown" };
    const instance = set.instances.get(normalizedId(providerID));
    return instance ? { state: "seen", instance, atMs: set.atMs } : { state: "gone", atMs: set.atMs };
  }

  /** Registers a listener for changes. */
  onChange(listener: InstanceListener): void {
    this.#listeners.push(listener);
  }

  /** Drops a scale set that no longer exists. */
  forget(scaleSetID: string): void {
    this.#sets.delete(normalizedId(scaleSetID));
  }
}

/** The normalized ARM id of the scale set of an instance's provider id. */
function setOf(providerID: string): string {
  return normalizedId(providerID)
    .replace(/^azure:\/\//, "")
    .replace(/\/virtualmachines\/[^/]*$/, "");
}

/** Whether a field has changed that a machine reports. Comparing all of Azure's fields takes far longer. */
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
