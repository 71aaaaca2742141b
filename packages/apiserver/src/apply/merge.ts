import { assignOwn, deepCopy, deepEqual } from "@capstan/api";
import {
  elementOf,
  entryType,
  formOf,
  isMap,
  own,
  type ListType,
  type MapType,
  type MergeType,
} from "./merge-type.ts";

/**
 * The live value with the applied one merged into it: the applied one decides at the leaves, and nothing is removed.
 * Unchanged parts stay those of the live object; parts of the applied one are copied.
 */
export function merge(type: MergeType, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  const { scalar, list, map } = formOf(type, applied);
  if (map) return mergeMaps(map, live, applied);
  if (scalar || !list) return leaf(live, applied);
  return mergeLists(list, live, applied);
}

function leaf(live: unknown, applied: unknown): unknown {
  return live !== undefined && deepEqual(live, applied) ? live : deepCopy(applied);
}

function mergeMaps(type: MapType, live: unknown, applied: unknown): unknown {
  const before = isMap(live) ? live : NOTHING;
  const after = isMap(applied) ? applied : NOTHING;
  // An empty value replaces only another empty one.
  if (type.isAtomic || isEmpty(before, after)) return leaf(live, applied);
  let merged: Record<string, unknown> | undefined;
  for (const name of Object.keys(after)) {
    const old = own(before, name);
    const value = merge(entryType(type, name), old, after[name]);
    if (value === old || value === undefined) continue;
    merged ??= { ...before };
    assignOwn(merged, name, value);
  }
  return merged ?? live;
}

function isEmpty(...maps: readonly object[]): boolean {
  return maps.every((map) => Object.keys(map).length === 0);
}

const NOTHING: Readonly<Record<string, unknown>> = {};

function mergeLists(type: ListType, live: unknown, applied: unknown): unknown {
  const before: readonly unknown[] = Array.isArray(live) ? live : [];
  const after: readonly unknown[] = Array.isArray(applied) ? applied : [];
  if (type.relation === "atomic" || before.length + after.length === 0) return leaf(live, applied);
  if (after.length === 0) return live;
  const merged = new ListMerge(type, before, after).run();
  const isSame = merged.length === before.length && merged.every((item, index) => item === before[index]);
  return isSame ? live : merged;
}

/**
 * Merges two lists of items with keys. Items of both lists come in the order of the applied list; items of only one of
 * them stay beside their neighbours, live ones first. Each step takes an item, so the time is linear.
 */
class ListMerge {
  readonly #type: ListType;
  readonly #live: readonly unknown[];
  readonly #applied: readonly unknown[];
  readonly #liveElements: readonly (string | undefined)[];
  readonly #appliedElements: readonly (string | undefined)[];
  /** The live item of each element; undefined if several items have it: those are not merged. */
  readonly #liveItems = new Map<string, unknown>();
  readonly #appliedSet: ReadonlySet<string | undefined>;
  readonly #taken = new Set<string>();
  readonly #out: unknown[] = [];
  #liveAt = 0;
  #appliedAt = 0;

  constructor(type: ListType, live: readonly unknown[], applied: readonly unknown[]) {
    this.#type = type;
    this.#live = live;
    this.#applied = applied;
    this.#liveElements = live.map((item) => elementOf(type, item));
    this.#appliedElements = applied.map((item) => elementOf(type, item));
    this.#appliedSet = new Set(this.#appliedElements);
    for (const [index, element] of this.#liveElements.entries())
      if (element !== undefined)
        this.#liveItems.set(element, this.#liveItems.has(element) ? undefined : live[index]);
  }

  run(): unknown[] {
    while (this.#liveAt < this.#live.length || this.#appliedAt < this.#applied.length) this.#step();
    return this.#out;
  }

  #step(): void {
    if (this.#liveAt === this.#live.length) return this.#takeApplied();
    const live = this.#liveElements[this.#liveAt];
    const applied = this.#appliedElements[this.#appliedAt];
    if (live === undefined || !this.#appliedSet.has(live)) this.#takeLive();
    else if (live === applied) {
      this.#liveAt++;
      this.#takeApplied();
    } else if (this.#isPassed(live) || this.#appliedAt === this.#applied.length) this.#liveAt++;
    else this.#takeApplied();
  }

  #takeLive(): void {
    this.#out.push(this.#live[this.#liveAt++]);
  }

  /** Whether a live item that the applied list has as well is not the next of those in the order of that list. */
  #isPassed(live: string): boolean {
    if (this.#taken.has(live)) return true;
    const next = this.#nextShared();
    return next !== undefined && next !== live;
  }

  #sharedAt = 0;

  /** The next element of the applied list that the live list has as well. */
  #nextShared(): string | undefined {
    this.#sharedAt = Math.max(this.#sharedAt, this.#appliedAt);
    for (; this.#sharedAt < this.#appliedElements.length; this.#sharedAt++) {
      const element = this.#appliedElements[this.#sharedAt];
      if (element !== undefined && this.#liveItems.has(element)) return element;
    }
    return undefined;
  }

  #takeApplied(): void {
    const element = this.#appliedElements[this.#appliedAt];
    const item = this.#applied[this.#appliedAt++];
    const old = element === undefined ? undefined : this.#liveItems.get(element);
    if (element !== undefined) this.#taken.add(element);
    const merged = merge(this.#type.item, old, item);
    if (merged !== undefined) this.#out.push(merged);
  }
}
