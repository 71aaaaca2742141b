import { Machine, MachineSet } from "@capstan/api";
import type { Invariant, Rehearsal, ManagerConnections, World } from "@capstan/sim";
import type { Reconciler } from "@capstan/runtime";
import { createDepot, type Depot } from "./depot.ts";
import { proofController } from "./proof-controller.ts";
import { machineSet } from "./proof-world.ts";

/** How the proof is run in the whole world. */
export interface HarnessOptions {
  readonly seed: string;
  readonly managers?: number;
  readonly controller?: (connections: ManagerConnections) => Reconciler;
}

const FLEET = { name: "fleet", namespace: "default" };
const PATIENCE_MS = 15 * 60_000;
const DEPOT = "depot";

/** Create, scale down, scale up, delete: the life of a MachineSet in a complete world. */
export function proofRehearsal({ seed, managers, controller }: HarnessOptions): Rehearsal {
  const depot: { current?: Depot } = {};
  const invariants = [noSurplusMachines(), slotBeforeMachines(depot), noOrphanedSlots(depot)];
  return {
    world: {
      seed,
      invariants,
      ...(managers !== undefined && { managers }),
      servers: {
        [DEPOT]: (env) => {
          depot.current = createDepot(() => env.clock.monotonic());
          return depot.current.handler;
        },
      },
      controllers: (connections) => [
        controller?.(connections) ?? proofController(connections.connect(`https://${DEPOT}`)),
      ],
    },
    story: async (world) => {
      for (const replicas of [3, 1, 2]) {
        await applySet(world, replicas);
        await world.rest(PATIENCE_MS);
      }
      await world.run(world.user.delete(MachineSet, FLEET));
      await world.rest(PATIENCE_MS);
    },
    endState: ({ management }) => ({
      machines: management.storage.count({ resource: "cluster.x-k8s.io/machines" }),
      sets: management.storage.count({ resource: "cluster.x-k8s.io/machinesets" }),
      slots: depot.current?.slots.size ?? 0,
      reservations: [...(depot.current?.begun.values() ?? [])],
    }),
  };
}

async function applySet(world: World, replicas: number): Promise<void> {
  const found = await world.run(world.user.find(MachineSet, FLEET));
  const set = machineSet(FLEET.name, replicas);
  if (found)
    await world.run(world.user.patch(MachineSet, FLEET, { type: "merge", body: { spec: set.spec } }));
  else await world.run(world.user.create(MachineSet, set));
}

/** Never more machines than the largest desired number. */
function noSurplusMachines(): Invariant {
  const most = 3;
  return {
    name: "no-surplus-machines",
    says: "there are never more machines than were asked for",
    watch: () => {
      const alive = new Set<string>();
      return {
        happened: ({ happening }) => {
          if (
            happening.kind !== "write" ||
            happening.resource !== Machine.plural ||
            happening.status >= 300
          ) {
            return undefined;
          }
          if (happening.verb === "create") alive.add(happening.name);
          if (happening.verb === "delete") alive.delete(happening.name);
          return alive.size > most
            ? `${alive.size} machines, more than the largest desired number ${most}`
            : undefined;
        },
      };
    },
  };
}

function slotBeforeMachines(depot: { readonly current?: Depot }): Invariant {
  return {
    name: "slot-before-machines",
    says: "no machine is created before the slot of its set is reserved",
    watch: () => ({
      happened: ({ atMs, happening }) => {
        if (happening.kind !== "write" || happening.resource !== Machine.plural) return undefined;
        if (happening.verb !== "create") return undefined;
        const isReady = [...(depot.current?.slots.values() ?? [])].some(({ readyAtMs }) => readyAtMs <= atMs);
        return isReady ? undefined : `machine ${happening.name} is created although no slot is ready`;
      },
    }),
  };
}

function noOrphanedSlots(depot: { readonly current?: Depot }): Invariant {
  return {
    name: "no-orphaned-slots",
    says: "at rest no slot is left that belongs to no set",
    watch: () => {
      const sets = new Set<string>();
      return {
        happened: ({ happening }) => {
          if (happening.kind !== "write" || happening.resource !== MachineSet.plural) return undefined;
          if (happening.verb === "create") sets.add(happening.name);
          if (happening.verb === "delete") sets.delete(happening.name);
          return undefined;
        },
        atRest: () => {
          const slots = depot.current?.slots.size ?? 0;
          return slots > sets.size ? `${slots} slots are reserved for ${sets.size} sets` : undefined;
        },
      };
    },
  };
}
