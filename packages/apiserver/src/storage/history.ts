import { ExpiredError, type StoredEvent } from "./storage.ts";

/**
 * How many changes of one resource are kept. A client that lost its watch must reconnect within this many changes or
 * list again; a rollout of 3,000 machines makes fewer than 16,384 in a minute, and full histories of a dozen busy kinds
 * fit in the memory of a laptop.
 */
export const HISTORY_LIMIT = 16_384;

/** The recent changes of one resource, oldest first: a ring buffer that drops the oldest when it is full. */
export class History {
  readonly #limit: number;
  readonly #ring: (StoredEvent | undefined)[] = [];
  #first = 0;
  #length = 0;
  /** The version of the newest dropped change. */
  #forgotten = 0;
  #compacted: number;

  constructor(compacted: number, limit: number) {
    this.#compacted = compacted;
    this.#limit = limit;
  }

  /** The oldest version that a new reader may start from. */
  get oldestVersion(): number {
    return Math.max(this.#compacted, this.#forgotten);
  }

  append(event: StoredEvent): void {
    if (this.#length === this.#limit) this.#forgetFirst();
    this.#ring[(this.#first + this.#length) % this.#limit] = event;
    this.#length++;
  }

  /**
   * The first change after the version. An existing reader may continue from below the point of compaction, as long as
   * no change that it had not read was dropped.
   */
  next(version: number): StoredEvent | undefined {
    if (version < this.#forgotten) throw new ExpiredError(version, this.oldestVersion);
    const index = this.#indexAfter(version);
    return index < this.#length ? this.#at(index) : undefined;
  }

  /** The changes after the version, newest first: undoing them restores that version. */
  *back(version: number): Generator<StoredEvent> {
    if (version < this.oldestVersion) throw new ExpiredError(version, this.oldestVersion);
    for (let index = this.#length - 1; index >= 0; index--) {
      const event = this.#at(index);
      if (event.resourceVersion <= version) return;
      yield event;
    }
  }

  /**
   * Drops the changes up to and including the version. A reader that has read the last of them may continue from it.
   */
  forget(version: number): void {
    while (this.#length > 0 && this.#at(0).resourceVersion <= version) this.#forgetFirst();
  }

  /** Drops the changes up to and including the version, and refuses new readers below it. */
  compact(version: number): void {
    this.forget(version);
    this.#compacted = Math.max(this.#compacted, version);
  }

  /** Most readers are up to date, so the newest change is checked first. */
  #indexAfter(version: number): number {
    if (this.#length === 0 || this.#at(this.#length - 1).resourceVersion <= version) return this.#length;
    let low = 0;
    let high = this.#length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#at(middle).resourceVersion <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #at(index: number): StoredEvent {
    return this.#ring[(this.#first + index) % this.#limit] as StoredEvent;
  }

  #forgetFirst(): void {
    this.#forgotten = this.#at(0).resourceVersion;
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#limit;
    this.#length--;
  }
}
