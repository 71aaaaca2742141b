import type { JsonObject } from "../json.ts";
import { Table } from "./table.ts";

/** Something that will happen: which effect, when, and with what. Data, so that it survives a restart. */
export interface Completion {
  readonly dueMs: number;
  /** Keeps those due at the same time in the order they were entered. */
  readonly sequence: number;
  readonly effect: string;
  readonly args: JsonObject;
}

/** What is going to happen by itself: a heap ordered by time, then by the order of entry. */
export class Agenda {
  readonly table: Table<Completion>;
  readonly #heap: Completion[] = [];
  #sequence = 0;

  constructor(isStored: boolean) {
    this.table = new Table<Completion>("completion", isStored);
  }

  get nextDueMs(): number | undefined {
    return this.#heap[0]?.dueMs;
  }

  get size(): number {
    return this.#heap.length;
  }

  enter(dueMs: number, effect: string, args: JsonObject): void {
    const completion: Completion = { dueMs, sequence: ++this.#sequence, effect, args };
    this.table.set(String(completion.sequence), completion);
    this.#push(completion);
  }

  /** Takes out the first completion that is due by then. */
  takeDue(nowMs: number): Completion | undefined {
    const first = this.#heap[0];
    if (!first || first.dueMs > nowMs) return undefined;
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#sink(last);
    this.table.delete(String(first.sequence));
    return first;
  }

  /** Takes up the completions that a store gave back. */
  restored(): void {
    for (const [, completion] of this.table.entries()) {
      this.#sequence = Math.max(this.#sequence, completion.sequence);
      this.#push(completion);
    }
  }

  #push(completion: Completion): void {
    const heap = this.#heap;
    let index = heap.push(completion) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(completion, heap[parent] as Completion)) break;
      heap[index] = heap[parent] as Completion;
      index = parent;
    }
    heap[index] = completion;
  }

  #sink(completion: Completion): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Completion, heap[child] as Completion))
        child++;
      if (!isBefore(heap[child] as Completion, completion)) break;
      heap[index] = heap[child] as Completion;
      index = child;
    }
    heap[index] = completion;
  }
}

function isBefore(a: Completion, b: Completion): boolean {
  return a.dueMs !== b.dueMs ? a.dueMs < b.dueMs : a.sequence < b.sequence;
}
