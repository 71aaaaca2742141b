import { keyOf } from "../arm/target.ts";
import type { JsonObject } from "../json.ts";
import { Table } from "./table.ts";

/** The state of a resource, as `provisioningState` shows it. */
type ProvisioningState = "Creating" | "Updating" | "Succeeded" | "Failed" | "Deleting";

/** One ARM resource. Rows are replaced, never changed. */
export interface Resource {
  readonly id: string;
  readonly name: string;
  /** Namespace and type in ARM's spelling. */
  readonly type: string;
  readonly location: string;
  /** The caller's fields: tags, sku, zones, identity, properties and any other. */
  readonly body: JsonObject;
  /** The etag as the header has it, with quotes. */
  readonly etag: string;
  readonly state: ProvisioningState;
  readonly createdMs: number;
  /** Reads miss the resource until then: eventual consistency. */
  readonly visibleMs: number;
  /** The operation that works on it. */
  readonly operation?: string;
  /** Ids of the resources it uses; those cannot be deleted. */
  readonly uses: readonly string[];
}

/** All resources, indexed by id, by scope and by the resources they use. */
export class Resources {
  readonly table: Table<Resource>;
  readonly #places = new Map<string, Set<string>>();
  readonly #users = new Map<string, Set<string>>();

  constructor(isStored: boolean) {
    this.table = new Table<Resource>("resource", isStored);
  }

  get(id: string): Resource | undefined {
    return this.table.get(keyOf(id));
  }

  put(resource: Resource): void {
    const key = keyOf(resource.id);
    const before = this.table.get(key);
    if (before) for (const used of before.uses) this.#users.get(keyOf(used))?.delete(key);
    this.table.set(key, resource);
    this.#learn(key, resource);
  }

  /** Changes some fields of a resource, if it still exists. */
  update(id: string, change: Partial<Resource>): void {
    const resource = this.get(id);
    if (resource) this.put({ ...resource, ...change });
  }

  delete(id: string): void {
    const key = keyOf(id);
    const resource = this.table.get(key);
    if (!resource) return;
    this.table.delete(key);
    for (const used of resource.uses) this.#users.get(keyOf(used))?.delete(key);
    for (const where of placesOf(resource)) this.#places.get(where)?.delete(key);
  }

  /** Resources of a type in a scope: a subscription or a group. Of all types when none is given. */
  *in(scope: string, type = ""): Generator<Resource> {
    for (const key of this.#places.get(place(scope, type)) ?? []) {
      const resource = this.table.get(key);
      if (resource) yield resource;
    }
  }

  /** Keys of the resources that use this resource or a child of it. */
  usersOf(id: string): readonly string[] {
    return [...(this.#users.get(keyOf(id)) ?? [])];
  }

  /** Rebuilds the indexes from the rows that a store restored. */
  restored(): void {
    for (const [key, resource] of this.table.entries()) this.#learn(key, resource);
  }

  #learn(key: string, resource: Resource): void {
    for (const where of placesOf(resource)) added(this.#places, where, key);
    for (const used of resource.uses) added(this.#users, keyOf(used), key);
  }
}

function added(sets: Map<string, Set<string>>, name: string, key: string): void {
  const set = sets.get(name);
  if (set) set.add(key);
  else sets.set(name, new Set([key]));
}

function placesOf({ id, type }: Resource): string[] {
  const [, , subscription = "", , group] = id.split("/");
  const inSubscription = `/subscriptions/${subscription}`;
  const scopes = [inSubscription];
  // A group belongs to its subscription, not to itself.
  if (group !== undefined && id.split("/").length > 5)
    scopes.push(`${inSubscription}/resourceGroups/${group}`);
  return scopes.flatMap((scope) => [place(scope, type), place(scope, "")]);
}

function place(scope: string, type: string): string {
  return `${scope}|${type}`.toLowerCase();
}
