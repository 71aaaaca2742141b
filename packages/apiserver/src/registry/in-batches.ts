// So many writes share a transaction of the store; more would only make everybody else wait longer for it.
const BATCH = 64;

/** Does something to each item, many at a time and in their order; ends at the first batch in which one fails. */
export async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH)
    await Promise.all(items.slice(start, start + BATCH).map(work));
}
