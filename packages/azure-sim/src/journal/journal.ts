import { hash } from "node:crypto";

/** One request with its answer. */
export interface JournalEntry {
  readonly sequence: number;
  readonly atMs: number;
  readonly method: string;
  /** The path without its query: signatures and tokens stay out of the journal. */
  readonly path: string;
  /** The application id of the caller. */
  readonly principal: string;
  readonly status: number;
  readonly operation: string;
  /** The error code of a refusal. */
  readonly code?: string;
  readonly charge?: number;
  /** The long-running operation that the request started. */
  readonly operationId?: string;
  /** How long the answer was delayed, in simulated milliseconds. */
  readonly delayMs?: number;
}

// Room for a virtual day of a busy fleet.
const KEPT_ENTRIES = 100_000;
// A server that runs for days has its journal in the store; 800 bytes of each entry would otherwise add up to 160 MB.
const KEPT_BESIDE_STORE = 5_000;

/** All requests, and a hash over them: two equal runs have the same hash. */
export class Journal {
  #entries: JournalEntry[] = [];
  #unsaved: JournalEntry[] = [];
  #sequence = 0;
  /** The hash up to an entry. It is computed on the first read: hardly any run of a fleet needs it. */
  #hash = "";
  #hashed = 0;
  readonly #isStored: boolean;
  readonly #kept: number;

  constructor(isStored: boolean) {
    this.#isStored = isStored;
    this.#kept = isStored ? KEPT_BESIDE_STORE : KEPT_ENTRIES;
  }

  get hash(): string {
    this.#takeIn();
    return this.#hash;
  }

  get count(): number {
    return this.#sequence;
  }

  add(entry: Omit<JournalEntry, "sequence">): void {
    const whole: JournalEntry = { sequence: ++this.#sequence, ...entry };
    this.#entries.push(whole);
    if (this.#isStored) this.#unsaved.push(whole);
    if (this.#entries.length > 2 * this.#kept) this.#letGo();
  }

  /** The entries after the given sequence number, oldest first. */
  since(sequence: number): readonly JournalEntry[] {
    const first = this.#entries[0]?.sequence ?? 1;
    return this.#entries.slice(Math.max(0, sequence + 1 - first));
  }

  /** The entries that the store has not seen. */
  takeUnsaved(): readonly JournalEntry[] {
    const taken = this.#unsaved;
    this.#unsaved = [];
    return taken;
  }

  /** Continues the journal of an earlier process. */
  restore(past: {
    readonly count: number;
    readonly hash: string;
    readonly entries: Iterable<JournalEntry>;
  }): void {
    this.#sequence = past.count;
    this.#hash = past.hash;
    this.#hashed = past.count;
    this.#entries = [...past.entries];
  }

  #letGo(): void {
    this.#takeIn();
    this.#entries = this.#entries.slice(-this.#kept);
  }

  #takeIn(): void {
    for (const entry of this.since(this.#hashed)) {
      this.#hash = hash("sha256", this.#hash + JSON.stringify(entry));
    }
    this.#hashed = this.#sequence;
  }
}
