import { AzureMachine, Machine } from "@capstan/api";
import { type Invariant, type Rehearsal, type Truth } from "@capstan/sim";
import {
  createMachines,
  PATIENCE_MS,
  RESIZE_WORLD,
  resizeTo,
  virtualMachinesIn,
  writesTo,
} from "../../kit/resize-world.ts";
import { listed } from "../../machinedeployment/never-too-many.ts";

/** A machine gets a size of other hardware; the region may have no room for it. */
export function resizeLife(seed: string, { hasRoom = true }: { readonly hasRoom?: boolean } = {}): Rehearsal {
  const size = "Standard_D4ds_v5";
  return {
    world: {
      ...RESIZE_WORLD,
      seed,
      invariants: [oneAtATime],
      ...(!hasRoom && { azure: { capacities: [{ location: "westeurope", size, instances: 0 }] } }),
    },
    story: async (world) => {
      await createMachines(world, { replicas: 1 });
      const before = identities(world.truth);
      await resizeTo(world, size);
      if (hasRoom) await world.rest(PATIENCE_MS);
      else await world.advance(PATIENCE_MS);
      const after = identities(world.truth);
      if (before !== after) throw new Error(`machines changed: ${before} to ${after}`);
    },
    endState: (world) => ({
      machines: virtualMachinesIn(world).toSorted(),
      sizes: listed<AzureMachine>(world.truth, AzureMachine)
        .map(({ spec }) => spec.vmSize)
        .toSorted(),
      updates: listed<Machine>(world.truth, Machine)
        .map(({ status }) => status?.update?.state ?? "none")
        .toSorted(),
      writes: writesTo(world),
    }),
  };
}

function identities(truth: Truth): string {
  return [Machine, AzureMachine]
    .flatMap((kind) => listed(truth, kind).map(({ metadata: { name, uid } }) => `${name} ${uid}`))
    .toSorted()
    .join(", ");
}

const oneAtATime: Invariant = {
  name: "one-at-a-time",
  says: "at most one machine of a deployment with maxUnavailable 1 is stopped for another size",
  watch: (truth) => ({
    called: () => {
      const updating = listed<Machine>(truth, Machine).filter(
        ({ status }) => status?.update?.state === "InProgress",
      );
      return updating.length > 1 ? `${updating.length} machines are updated at once` : undefined;
    },
  }),
};
