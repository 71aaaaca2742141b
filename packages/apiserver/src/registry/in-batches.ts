// This many writes share a transaction of the storage; more would only delay other clients.
const BATCH = 64;

/** Processes items, many at a time and in order; ends at the first batch with a failure. */
export async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH)
    await Promise.all(items.slice(start, start + BATCH).map(work));
}
