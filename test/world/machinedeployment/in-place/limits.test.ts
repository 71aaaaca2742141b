/** How many machines an update in place takes out of service, adds and deletes. */
import { isUpdatingInPlace, Machine, MachineDeployment } from "@capstan/api";
import type { Invariant, World } from "@capstan/sim";
import { expect, test } from "vitest";
import { patch } from "../../kit/cluster-world.ts";
import {
  createTemplate,
  DEPLOYMENT,
  isAvailable,
  machinesIn,
  PATIENCE_MS,
  referenceTo,
} from "../../kit/deployment-world.ts";
import { listed } from "../never-too-many.ts";
import { TestMachine, TestMachineTemplate } from "../../kit/test-provider.ts";
import { inPlaceWorld, resize, testUpdater } from "../../kit/in-place-world.ts";

/** The extremes of a rollout. */
interface Extremes {
  isWatching: boolean;
  leastAvailable: number;
  mostMachines: number;
  mostUpdating: number;
}

function extremes(): { readonly seen: Extremes; readonly invariant: Invariant } {
  const seen = { isWatching: false, leastAvailable: Infinity, mostMachines: 0, mostUpdating: 0 };
  const invariant: Invariant = {
    name: "extremes",
    says: "records the extremes",
    watch: (truth) => ({
      called: () => {
        if (!seen.isWatching) return undefined;
        const machines = listed<Machine>(truth, Machine);
        const inService = machines.filter((machine) => isAvailable(machine) && !isUpdatingInPlace(machine));
        seen.leastAvailable = Math.min(seen.leastAvailable, inService.length);
        seen.mostMachines = Math.max(seen.mostMachines, machines.length);
        seen.mostUpdating = Math.max(seen.mostUpdating, machines.filter(isUpdatingInPlace).length);
        return undefined;
      },
    }),
  };
  return { seen, invariant };
}

async function rolled(spec: object, midway?: (world: World) => Promise<unknown>) {
  const { seen, invariant } = extremes();
  const world = await inPlaceWorld([testUpdater("resizer", ["infraMachine.spec.size"])], {
    invariants: [invariant],
  });
  await patch(world, MachineDeployment, DEPLOYMENT, { spec });
  await world.rest(PATIENCE_MS);
  const before = (await machinesIn(world)).map(({ metadata }) => metadata.name);
  seen.isWatching = true;
  await resize(world, "large");
  if (midway) {
    await world.until(() => seen.mostUpdating > 0, PATIENCE_MS);
    await world.advance(10_000);
    await midway(world);
  }
  await world.rest(2 * PATIENCE_MS);
  const after = (await machinesIn(world)).filter(isAvailable).map(({ metadata }) => metadata.name);
  const sizes = (await world.run(world.user.list(TestMachine))).map(({ spec: one }) => one?.["size"]);
  expect(new Set(sizes)).toEqual(new Set(["large"]));
  return { kept: after.filter((name) => before.includes(name)).length, machines: after.length, seen };
}

const limits = (maxSurge: number, maxUnavailable: number) => ({
  rollout: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } },
});

test("within maxUnavailable 2 two machines are updated at once, and none is added", async () => {
  const { kept, machines, seen } = await rolled({ replicas: 5, ...limits(0, 2) });
  expect({ kept, machines }).toEqual({ kept: 5, machines: 5 });
  expect(seen).toMatchObject({ leastAvailable: 3, mostMachines: 5, mostUpdating: 2 });
});

test.each([
  [3, 0, 4],
  [3, 1, 3],
])(
  "maxSurge %i with maxUnavailable %i adds at most one machine, which goes at the end, and replaces none",
  async (surge, unavailable, most) => {
    const { kept, machines, seen } = await rolled({ replicas: 3, ...limits(surge, unavailable) });
    expect({ kept, machines }).toEqual({ kept: 3, machines: 3 });
    expect(seen).toMatchObject({ leastAvailable: 3 - unavailable, mostMachines: most, mostUpdating: 1 });
  },
);

test("a new template and fewer replicas in one patch leave as many available as promised", async () => {
  const { seen, invariant } = extremes();
  const world = await inPlaceWorld([testUpdater("resizer", ["infraMachine.spec.size"])], {
    invariants: [invariant],
  });
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 10 } });
  await world.rest(PATIENCE_MS);
  seen.isWatching = true;
  await createTemplate(world, "large");
  const infrastructureRef = referenceTo(TestMachineTemplate, "large");
  const template = { spec: { infrastructureRef } };
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 6, template } });
  await world.rest(2 * PATIENCE_MS);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(6);
  expect(seen.leastAvailable).toBe(5);
});

test("replicas that grow in mid-rollout are added from the new template", async () => {
  const scale = (world: World) => patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 5 } });
  const { kept, machines } = await rolled({ replicas: 3 }, scale);
  expect({ kept, machines }).toEqual({ kept: 3, machines: 5 });
});

test("replicas that shrink in mid-rollout are taken from the old template", async () => {
  const scale = (world: World) => patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 2 } });
  const { kept, machines } = await rolled({ replicas: 4 }, scale);
  expect({ kept, machines }).toEqual({ kept: 2, machines: 2 });
});

test("a strategy that becomes RollingUpdate in mid-rollout replaces the machines that are left", async () => {
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  const { kept, machines } = await rolled({ replicas: 3 }, (world) =>
    patch(world, MachineDeployment, DEPLOYMENT, { spec: { rollout: { strategy } } }),
  );
  expect({ kept, machines }).toEqual({ kept: 1, machines: 3 });
});
