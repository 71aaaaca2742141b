import { DESIRED_REPLICAS_ANNOTATION, type Frozen, type MachineSet } from "@capstan/api";

/** The minimum interval between passes over a machine that events of its parts cause: they come in bursts. */
export const COALESCED_MS = 250;

// A pass over a MachineSet reads all its machines, and its status is a write.
const MS_FOR_SET_MACHINE = 3;
const MOST_SET_MS = 10_000;

/**
 * The minimum interval between passes over a MachineSet that events of its machines cause. The new set of a large deployment has few
 * machines at first, but many of them come up at the same time.
 */
export function setIntervalMsOf({ metadata, status }: Frozen<MachineSet>): number {
  const desired = Number(metadata.annotations?.[DESIRED_REPLICAS_ANNOTATION]) || 0;
  const machines = Math.max(status?.replicas ?? 0, desired);
  return Math.min(MOST_SET_MS, COALESCED_MS + machines * MS_FOR_SET_MACHINE);
}

// A pass over a MachineDeployment writes its status; with 100 machines there are at most three in two seconds.
const MS_FOR_DEPLOYED_MACHINE = 4;

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
