import { Heap } from "@capstan/env";
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

  /** Takes out the first completion that is due by then. */
  takeDue(nowMs: number): Completion | undefined {
    const first = this.#heap.peek();
    if (!first || first.dueMs > nowMs) return undefined;
    this.#heap.pop();
    this.table.delete(String(first.sequence));
    return first;
  }

  /** Takes up the completions that a store gave back. */
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
