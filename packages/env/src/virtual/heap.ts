/** An item with a due time. */
interface Due {
  readonly dueMs: number;
}

// Four children per node: half as many levels as with two, and the times of all four fit in one cache line.
const CHILDREN = 4;

/**
 * A heap: the item that is due first comes first, and `before` decides among those due at the same time.
 *
 * The heap of a fleet is too large for the processor's cache. So the times are stored side by side, and an item is read
 * only when times are equal.
 */
export class Heap<T extends Due> {
  readonly #items: T[] = [];
  readonly #times: number[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    let index = this.#items.push(item) - 1;
    this.#times.push(item.dueMs);
    while (index > 0) {
      const parent = ((index - 1) / CHILDREN) | 0;
      if (!this.#isBefore(item, parent)) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#put(item, index);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    this.#times.pop();
    if (this.#items.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  #sink(item: T): void {
    let index = 0;
    for (;;) {
      const child = this.#firstChild(index);
      if (child === undefined || this.#isBefore(item, child)) break;
      this.#move(child, index);
      index = child;
    }
    this.#put(item, index);
  }

  #firstChild(parent: number): number | undefined {
    const from = CHILDREN * parent + 1;
    const to = Math.min(from + CHILDREN, this.#items.length);
    if (from >= to) return undefined;
    let first = from;
    for (let child = from + 1; child < to; child++) {
      if (this.#precedes(child, first)) first = child;
    }
    return first;
  }

  #precedes(child: number, other: number): boolean {
    const childMs = this.#times[child] as number;
    const otherMs = this.#times[other] as number;
    if (childMs !== otherMs) return childMs < otherMs;
    return this.#before(this.#items[child] as T, this.#items[other] as T);
  }

  #isBefore(item: T, other: number): boolean {
    const otherMs = this.#times[other] as number;
    return item.dueMs === otherMs ? this.#before(item, this.#items[other] as T) : item.dueMs < otherMs;
  }

  #move(from: number, to: number): void {
    this.#items[to] = this.#items[from] as T;
    this.#times[to] = this.#times[from] as number;
  }

  #put(item: T, index: number): void {
    this.#items[index] = item;
    this.#times[index] = item.dueMs;
  }
}
