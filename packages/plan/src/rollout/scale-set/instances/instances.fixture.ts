import type { DrainedMachine } from "./drained-machine.ts";

/** A machine that is being deleted and whose Node is drained. */
export function deleting(id: number, differences: Partial<DrainedMachine> = {}): DrainedMachine {
  return {
    name: `mp-${id}`,
    instanceID: String(id),
    isDeleting: true,
    isUpdateAsked: false,
    update: undefined,
    provisioningState: "Succeeded",
    provisionedMs: 0,
    isLatestModel: true,
    hasImageOfSet: false,
    isReimageRecorded: false,
    node: { uid: "node", isReady: true },
    hadNoNode: false,
    ...differences,
  };
}

/** A machine that waits for its update in place; its Node is drained and deleted. */
export function updating(id: number, differences: Partial<DrainedMachine> = {}): DrainedMachine {
  return deleting(id, {
    isDeleting: false,
    isUpdateAsked: true,
    update: { startedMs: 1000, nodeUID: "node" },
    provisionedMs: 2000,
    isLatestModel: false,
    node: undefined,
    ...differences,
  });
}
