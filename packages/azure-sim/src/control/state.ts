import type { AzureState } from "../core/azure-state.ts";
import type { PowerState } from "../machines/machine.ts";
import type { RequestBudget } from "../throttling/throttle.ts";

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
  readonly lowBudgets: readonly RequestBudget[];
  /** All budgets that requests were taken from. */
  readonly budgets: readonly RequestBudget[];
  /** Virtual machines and instances of scale sets. */
  readonly machines: readonly ShownMachine[];
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

/** A virtual machine as users see it. */
interface ShownMachine {
  readonly id: string;
  readonly state: string;
  readonly power: PowerState;
  /** Whether an instance has the newest model of its scale set. */
  readonly isLatest?: boolean;
}

function* machinesIn({ scaleSets, resources, machines }: AzureState): Generator<ShownMachine> {
  for (const [, set] of scaleSets.sets.entries())
    for (const [instance, { state, power, model }] of scaleSets.members(set.id).entries())
      yield {
        id: `${set.id}/virtualMachines/${instance}`,
        state,
        power,
        isLatest: model === set.modelVersion,
      };
  for (const [key, { id, state }] of resources.table.entries()) {
    const record = machines.record(key);
    if (record) yield { id, state, power: record.power };
  }
}

/** Collects the state of the cloud. It walks every resource: for users, not for requests. */
export function stateOf(world: AzureState): CloudState {
  const budgets = world.throttle.budgets(world.nowMs);
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
    lowBudgets: budgets.filter(({ left, capacity }) => left < capacity / 2),
    budgets,
    machines: [...machinesIn(world)],
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
