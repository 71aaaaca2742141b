/** Views for tests: a settled pool of three machines, and variations of it. */
import type { MachineView, PoolView } from "./view.ts";

/** The default time of every view. */
export const NOW_MS = 100 * 60_000;

/** An up-to-date, available machine of pool `mp`. */
export function machine(instanceID: number, differences: Partial<MachineView> = {}): MachineView {
  return {
    pool: "mp",
    name: `mp-${instanceID}`,
    instanceID: String(instanceID),
    createdMs: instanceID * 1000,
    modelHash: "A",
    vmState: "Running",
    isAvailable: true,
    unavailableSinceMs: undefined,
    isDeleting: false,
    deletedByUser: false,
    hasDeleteAnnotation: false,
    isSurge: false,
    picked: undefined,
    updatingToHash: undefined,
    ...differences,
  };
}

/** A machine that has been unavailable for some minutes. */
export function unavailable(
  instanceID: number,
  minutes: number,
  differences: Partial<MachineView> = {},
): MachineView {
  const unavailableSinceMs = NOW_MS - minutes * 60_000;
  return machine(instanceID, { isAvailable: false, unavailableSinceMs, ...differences });
}

/** A settled pool `mp` with model A, with the given differences. */
export function pool(differences: Partial<PoolView> = {}): PoolView {
  const machines = differences.machines ?? [machine(0), machine(1), machine(2)];
  const setHash = "setHash" in differences ? differences.setHash : "A";
  return {
    namespace: "default",
    name: "mp",
    desired: machines.length,
    maxSurge: 1,
    maxUnavailable: 0,
    deletePolicy: "Oldest",
    instanceUpdate: "Replace",
    capacity: machines.length,
    desiredHash: "A",
    isSetFailed: false,
    isModelRejected: false,
    isExternallyScaled: false,
    isPaused: false,
    operation: undefined,
    modelsInUse: [...new Set([...machines.map(({ modelHash }) => modelHash), setHash ?? "A"])],
    workload: { isReachable: true, nodes: machines.length, notReady: 0 },
    removalGuard: undefined,
    allowedRemovals: undefined,
    nowMs: NOW_MS,
    seed: "seed",
    ...differences,
    setHash,
    machines,
  };
}
