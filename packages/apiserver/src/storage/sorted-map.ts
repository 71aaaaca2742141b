// An insertion shifts the rest of its chunk: 512 keeps that below a microsecond, and 30,000 keys in about 80 chunks.
const CHUNK_LIMIT = 512;

interface Chunk<V> {
  readonly keys: string[];
  readonly values: V[];
}

/**
 * A sorted map. It consists of short sorted chunks, so that neither an insertion nor the start of a range has to visit
 * all keys, and a list never has to sort.
 */
export class SortedMap<V> {
  readonly #chunks: Chunk<V>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const chunk = this.#chunks[this.#chunkFor(key)];
    if (!chunk) return undefined;
    const index = lowerBound(chunk.keys, key);
    return chunk.keys[index] === key ? chunk.values[index] : undefined;
  }

  set(key: string, value: V): void {
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push({ keys: [key], values: [value] });
      this.#size++;
      return;
    }
    const index = lowerBound(chunk.keys, key);
    if (chunk.keys[index] === key) {
      chunk.values[index] = value;
      return;
    }
    chunk.keys.splice(index, 0, key);
    chunk.values.splice(index, 0, value);
    this.#size++;
    if (chunk.keys.length > CHUNK_LIMIT) this.#split(at, chunk);
  }

  delete(key: string): void {
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at];
    const index = chunk ? lowerBound(chunk.keys, key) : 0;
    if (chunk?.keys[index] !== key) return;
    chunk.keys.splice(index, 1);
    chunk.values.splice(index, 1);
    this.#size--;
    if (chunk.keys.length === 0) this.#chunks.splice(at, 1);
  }

  /** The entries with `from <= key < below`, in order. The map must not change while it is read. */
  *range(from: string, below: string): Generator<readonly [string, V]> {
    for (let at = this.#chunkFor(from); at < this.#chunks.length; at++) {
      const { keys, values } = this.#chunks[at] as Chunk<V>;
      for (let index = lowerBound(keys, from); index < keys.length; index++) {
        const key = keys[index] as string;
        if (key >= below) return;
        yield [key, values[index] as V];
      }
    }
  }

  /** How many entries have `from <= key < below`. */
  countRange(from: string, below: string): number {
    return this.#rank(below) - this.#rank(from);
  }

  /** How many keys are below this one. */
  #rank(key: string): number {
    let rank = 0;
    for (const { keys } of this.#chunks) {
      if ((keys[0] as string) >= key) break;
      rank += (keys.at(-1) as string) < key ? keys.length : lowerBound(keys, key);
    }
    return rank;
  }

  /** The last chunk that starts at or below the key: where the key is, or where it belongs. */
  #chunkFor(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#chunks[middle]?.keys[0] as string) <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #split(at: number, chunk: Chunk<V>): void {
    const half = chunk.keys.length >> 1;
    this.#chunks.splice(at + 1, 0, { keys: chunk.keys.splice(half), values: chunk.values.splice(half) });
  }
}

/** The first position whose key is not below the given one. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
