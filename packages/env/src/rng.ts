/** A stream of random numbers. Streams with the same seed and name give the same numbers. */
export interface Rng {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number in [0, limit). */
  below(limit: number): number;
  /** One of the items; the list must not be empty. */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[];
}

/**
 * An independent random stream for each name, so that one more draw in one place does not shift the numbers elsewhere.
 * The generator is sfc32: small, fast and good enough for schedules and jitter.
 */
export function createRng(seed: string, stream: string): Rng {
  const next = sfc32(`${seed}\u0000${stream}`);
  const below = (limit: number): number => {
    if (!Number.isInteger(limit) || limit < 1)
      throw new RangeError(`below(${limit}): needs a whole number above 0`);
    return Math.floor(next() * limit);
  };
  return {
    next,
    below,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new RangeError("pick([]): needs at least one item");
      return items[below(items.length)] as T;
    },
    shuffle<T>(items: readonly T[]): T[] {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = below(last + 1);
        [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
      }
      return shuffled;
    },
  };
}

/** The streams of one seed: a second call with the same name continues that stream instead of restarting it. */
export function rngStreams(seed: string): (stream: string) => Rng {
  const streams = new Map<string, Rng>();
  return (stream) => {
    const known = streams.get(stream);
    if (known) return known;
    const created = createRng(seed, stream);
    streams.set(stream, created);
    return created;
  };
}

function sfc32(seed: string): () => number {
  let [a, b, c, counter] = hash128(seed);
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4294967296;
  };
  // The first draws of sfc32 still depend visibly on the seed; its author advises to discard 12 to 20 of them.
  for (let warmUp = 0; warmUp < 15; warmUp++) next();
  return next;
}

/** Four 32-bit FNV-1a style hashes of the text, each with its own offset, mixed at the end. */
function hash128(text: string): [number, number, number, number] {
  const lanes: [number, number, number, number] = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    for (let lane = 0; lane < 4; lane++) {
      lanes[lane] = Math.imul((lanes[lane] as number) ^ (code + lane), 0x01000193);
    }
  }
  return lanes.map((lane) => {
    const mixed = Math.imul(lane ^ (lane >>> 16), 0x7feb352d);
    return Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b) ^ (mixed >>> 16);
  }) as [number, number, number, number];
}
