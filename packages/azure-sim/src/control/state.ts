import type { World } from "../core/world.ts";

/** What is in the cloud, as `capstan sim status` shows it. */
export interface CloudState {
  readonly nowMs: number;
  readonly runningOperations: readonly {
    readonly id: string;
    readonly name: string;
    readonly resourceId: string;
  }[];
  readonly resources: readonly { readonly id: string; readonly type: string; readonly state: string }[];
  readonly scaleSets: readonly {
    readonly id: string;
    readonly capacity: number;
    readonly modelVersion: number;
    /** Instances by provisioning state, and how many have the newest model. */
    readonly instances: Readonly<Record<string, number>>;
    readonly latest: number;
  }[];
}

/** Takes stock of everything. It walks everything too: for people, not for requests. */
export function stateOf(world: World): CloudState {
  return {
    nowMs: world.nowMs,
    runningOperations: [...world.operations.table.entries()]
      .filter(([, { status }]) => status === "InProgress")
      .map(([, { id, name, resourceId }]) => ({ id, name, resourceId })),
    resources: [...world.resources.table.entries()].map(([, { id, type, state }]) => ({ id, type, state })),
    scaleSets: [...world.scaleSets.sets.entries()].map(([, set]) => {
      const instances: Record<string, number> = {};
      let latest = 0;
      for (const { state, model } of world.scaleSets.members(set.id).values()) {
        instances[state] = (instances[state] ?? 0) + 1;
        if (model === set.modelVersion) latest++;
      }
      return { id: set.id, capacity: set.capacity, modelVersion: set.modelVersion, instances, latest };
    }),
  };
}
