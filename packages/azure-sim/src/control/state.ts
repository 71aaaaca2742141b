import type { AzureState } from "../core/azure-state.ts";
import type { LowBudget } from "../throttling/throttle.ts";

/** The state of the cloud, as `capstan sim status` shows it. */
export interface CloudState {
  readonly nowMs: number;
  readonly runningOperations: readonly {
    readonly id: string;
    readonly name: string;
    readonly resourceId: string;
    readonly startMs: number;
    /** When it will end, unless another operation preempts it. */
    readonly dueMs: number;
  }[];
  /** Budgets of which less than half is left. */
  readonly lowBudgets: readonly LowBudget[];
  readonly resources: readonly { readonly id: string; readonly type: string; readonly state: string }[];
  readonly scaleSets: readonly {
    readonly id: string;
    readonly capacity: number;
    readonly modelVersion: number;
    /** Instances by provisioning state, and how many have the newest model. */
    readonly instances: Readonly<Record<string, number>>;
    readonly latest: number;
    readonly instanceIds: readonly string[];
  }[];
}

/** Collects the state of the cloud. It walks every resource: for users, not for requests. */
export function stateOf(world: AzureState): CloudState {
  return {
    nowMs: world.nowMs,
    runningOperations: [...world.operations.table.entries()]
      .filter(([, { status }]) => status === "InProgress")
      .map(([, { id, name, resourceId, startMs, dueMs = startMs }]) => ({
        id,
        name,
        resourceId,
        startMs,
        dueMs,
      })),
    lowBudgets: world.throttle.low(world.nowMs),
    resources: [...world.resources.table.entries()].map(([, { id, type, state }]) => ({ id, type, state })),
    scaleSets: [...world.scaleSets.sets.entries()].map(([, set]) => {
      const instances: Record<string, number> = {};
      let latest = 0;
      const members = world.scaleSets.members(set.id);
      for (const { state, model } of members.values()) {
        instances[state] = (instances[state] ?? 0) + 1;
        if (model === set.modelVersion) latest++;
      }
      const { id, capacity, modelVersion } = set;
      return { id, capacity, modelVersion, instances, latest, instanceIds: [...members.keys()].map(String) };
    }),
  };
}
