// A pass over a pool looks at all its machines, and so does each write of what it has found. A third of the time in
// which its instances can be listed again: little is decided between two lists. CAPZ rests for ten seconds, whatever the size.
const MS_FOR_MACHINE = 60;
const MOST_MS = 60_000;

/** How far apart passes over a pool begin that news about its machines asks for: pools of a few are looked at at once. */
export function minReconcileIntervalMsOf(machines: readonly unknown[] | undefined): number {
  return Math.min(MOST_MS, (machines?.length ?? 0) * MS_FOR_MACHINE);
}
