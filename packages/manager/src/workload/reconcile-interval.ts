/** The minimum interval between passes over a machine that events of its parts cause: they come in bursts. */
export const COALESCED_MS = 250;

// A pass over a MachineSet reads all its machines, and its status is a write.
const MS_FOR_SET_MACHINE = 5;
const MOST_SET_MS = 10_000;

/** The minimum interval between passes over a MachineSet that events of its machines cause. */
export function setIntervalMsOf(machines: number | undefined): number {
  return Math.min(MOST_SET_MS, COALESCED_MS + (machines ?? 0) * MS_FOR_SET_MACHINE);
}

// A pass over a MachineDeployment writes its status; with 100 machines there is at most one a second.
const MS_FOR_DEPLOYED_MACHINE = 8;

/** The minimum interval between passes over a MachineDeployment that events of its MachineSets cause. */
export function deploymentIntervalMsOf(machines: number | undefined): number {
  return Math.min(MOST_SET_MS, COALESCED_MS + (machines ?? 0) * MS_FOR_DEPLOYED_MACHINE);
}

// A pass over a pool reads all its machines, and so does each status write. The interval is a third of the time between
// two lists of its instances, because little is decided between lists. CAPZ waits ten seconds for every size.
const MS_FOR_MACHINE = 60;
const MOST_MS = 60_000;

/** The minimum interval between passes over a pool that events of its machines cause: none for small pools. */
export function minReconcileIntervalMsOf(machines: readonly unknown[] | undefined): number {
  return Math.min(MOST_MS, (machines?.length ?? 0) * MS_FOR_MACHINE);
}
