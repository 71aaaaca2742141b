import { Heap } from "@capstan/env";
import type { JsonObject } from "../json.ts";
import { Table } from "./table.ts";

/** A scheduled change: which effect, when, and its arguments. Data only, so that it survives a restart. */
export interface Completion {
  readonly dueMs: number;
  /** Orders completions that are due at the same time by when they were added. */
  readonly sequence: number;
  readonly effect: string;
  readonly args: JsonObject;
}

/** The scheduled changes: a heap ordered by time, then by order of entry. */
export class Agenda {
  readonly table: Table<Completion>;
  readonly #heap = new Heap<Completion>(isBefore);
  #sequence = 0;

  constructor(isStored: boolean) {
    this.table = new Table<Completion>("completion", isStored);
  }

  get nextDueMs(): number | undefined {
    return this.#heap.peek()?.dueMs;
  }

  get size(): number {
    return this.#heap.size;
  }

  enter(dueMs: number, effect: string, args: JsonObject): void {
    const completion: Completion = { dueMs, sequence: ++this.#sequence, effect, args };
    this.table.set(String(completion.sequence), completion);
    this.#heap.push(completion);
  }

  /** Removes and returns the first completion that is due by then. */
  takeDue(nowMs: number): Completion | undefined {
    const first = this.#heap.peek();
    if (!first || first.dueMs > nowMs) return undefined;
    this.#heap.pop();
    this.table.delete(String(first.sequence));
    return first;
  }

  /** Rebuilds the heap from the rows that a store restored. */
  restored(): void {
    for (const [, completion] of this.table.entries()) {
      this.#sequence = Math.max(this.#sequence, completion.sequence);
      this.#heap.push(completion);
    }
  }
}

function isBefore(a: Completion, b: Completion): boolean {
  return a.dueMs !== b.dueMs ? a.dueMs < b.dueMs : a.sequence < b.sequence;
}
