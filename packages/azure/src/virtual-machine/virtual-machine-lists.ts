import type { Clock } from "@capstan/env";
import { normalizedId } from "../normalized-id.ts";
import type { Arm, CallPriority } from "../port.ts";
import type { JsonObject } from "@capstan/api";

/** The list of one resource group. */
interface GroupList {
  readonly atMs: number;
  readonly machines: ReadonlyMap<string, JsonObject>;
}

/** Where a machine is listed. */
export interface ListRequest {
  readonly arm: Arm;
  /** The ARM id of the resource group. */
  readonly groupID: string;
  readonly location: string;
  /** How old the list may be; two minutes unless given. */
  readonly maxAgeMs?: number;
  /** `sweep` unless given. */
  readonly priority?: CallPriority;
}

// A machine is checked every ten minutes; a list this old serves all machines of a group that come by together.
const MOST_AGE_MS = 2 * 60_000;

/**
 * The virtual machines of resource groups, listed once for all machines of a group: a thousand settled machines cost one list,
 * not a thousand reads.
 */
export class VirtualMachineLists {
  readonly #clock: Clock;
  readonly #groups = new Map<string, Promise<GroupList>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The body of a machine in a recent list; undefined when the list does not have it. */
  async find(request: ListRequest, machineID: string): Promise<JsonObject | undefined> {
    const { machines } = await this.#recent(request);
    return machines.get(normalizedId(machineID));
  }

  async #recent(request: ListRequest): Promise<GroupList> {
    const key = normalizedId(request.groupID);
    const known = this.#groups.get(key);
    if (known) {
      const list = await known;
      if (this.#clock.monotonic() - list.atMs < (request.maxAgeMs ?? MOST_AGE_MS)) return list;
      // Another machine has begun a new list meanwhile.
      const newer = this.#groups.get(key);
      if (newer && newer !== known) return newer;
    }
    const listing = this.#list(request);
    this.#groups.set(key, listing);
    // A failed list is not kept: the next machine tries again.
    listing.catch(() => this.#groups.delete(key));
    return listing;
  }

  async #list({ arm, groupID, location, priority }: ListRequest): Promise<GroupList> {
    const atMs = this.#clock.monotonic();
    const machines = new Map<string, JsonObject>();
    const path = `${groupID}/providers/Microsoft.Compute/virtualMachines`;
    const { items } = await arm.list(path, { location, ...(priority && { priority }) });
    for (const item of items) machines.set(normalizedId(String(item["id"])), item);
    return { atMs, machines };
  }
}
