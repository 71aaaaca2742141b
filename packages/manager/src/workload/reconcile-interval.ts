// A pass over a pool reads all its machines, and so does each status write. The interval is a third of the time between
// two lists of its instances, because little is decided between lists. CAPZ waits ten seconds for every size.
const MS_FOR_MACHINE = 60;
const MOST_MS = 60_000;

/** The minimum interval between passes over a pool that events of its machines cause: none for small pools. */
export function minReconcileIntervalMsOf(machines: readonly unknown[] | undefined): number {
  return Math.min(MOST_MS, (machines?.length ?? 0) * MS_FOR_MACHINE);
}
