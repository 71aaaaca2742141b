import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  getCondition,
  type Kind,
  KubeadmConfig,
  MachinePool,
  PAUSED_ANNOTATION,
  PROTOTYPE_NOW_ANNOTATION,
  PROTOTYPE_PIN_ANNOTATION,
} from "@capstan/api";
import { createRng } from "@capstan/env";
import { faultsOf, rehearse, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import { numbersFrom, stormSeeds } from "../../sample.ts";
import { MINUTE_MS, NAMESPACE } from "../kit/fleet-world.ts";
import { NEW_VERSION, plantCluster } from "../kit/pool-world.ts";
import { listed } from "../azuremachinepool/stories.ts";
import {
  BASE_IMAGE,
  createPrototypePool,
  HOUR_MS,
  INVARIANTS,
  leftovers,
  POOL,
  prototypeControllers,
  stored,
} from "../kit/prototype-world.ts";
import { nodesIn } from "./renewal-story.ts";

/** A merge patch of the object of the pool, or its deletion. */
type Edit = readonly [kind: Kind, body: object | "delete"];

/** What users do while images are renewed: pause, disable, scale, roll and delete. */
const EDITS: readonly Edit[] = [
  [AzureMachinePool, { metadata: { annotations: { [PAUSED_ANNOTATION]: "true" } } }],
  [AzureMachinePool, { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } }],
  [AzureMachinePool, { spec: { template: { image: { nodePrototyping: null } } } }],
  [AzureMachinePool, { spec: { template: { image: { nodePrototyping: { interval: "1h" } } } } }],
  [MachinePool, { spec: { replicas: 2 } }],
  [MachinePool, { spec: { replicas: 4 } }],
  [MachinePool, { spec: { template: { spec: { version: NEW_VERSION } } } }],
  [MachinePool, "delete"],
];

/** What a user has chosen beside the interval, by the seed. */
const CHOICES: readonly Choice[] = [
  { settings: {}, edits: [] },
  { settings: { promotion: "Spec" }, edits: [] },
  { settings: { rollbackWindow: "0s", canary: "Disabled" }, edits: [] },
  { settings: {}, edits: [pinned, pinned, unpinned] },
];

interface Choice {
  readonly settings: object;
  readonly edits: readonly ((world: World) => Edit)[];
}

/** Pins the oldest version that the pool has, or one that it never had. */
function pinned(world: World): Edit {
  const version = stored(world)?.status?.nodePrototyping?.history?.at(-1)?.version ?? "20200101.1.1";
  return [AzureMachinePool, { metadata: { annotations: { [PROTOTYPE_PIN_ANNOTATION]: version } } }];
}

function unpinned(): Edit {
  return [AzureMachinePool, { metadata: { annotations: { [PROTOTYPE_PIN_ANNOTATION]: null } } }];
}

/** What makes the pool work again: nothing is paused or pinned, and it renews its image at once. */
const RESUMED: Edit = [
  AzureMachinePool,
  { metadata: { annotations: { [PAUSED_ANNOTATION]: null, [PROTOTYPE_PIN_ANNOTATION]: null } } },
];
// A promotion into the spec leaves fields that a merge patch would keep.
const IMAGE = { computeGallery: { subscriptionID: null, resourceGroup: null, ...BASE_IMAGE.computeGallery } };
const DESIRED: readonly Edit[] = [
  [
    AzureMachinePool,
    {
      metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: "end" } },
      spec: { template: { image: { ...IMAGE, nodePrototyping: { interval: "8000h" } } } },
    },
  ],
  [MachinePool, { spec: { replicas: 3 } }],
];

async function edit(world: World, [kind, body]: Edit): Promise<void> {
  const { user } = world;
  const place = { name: POOL, namespace: NAMESPACE };
  const request: Promise<unknown> =
    body === "delete" ? user.delete(kind, place) : user.patch(kind, place, { type: "merge", body });
  await world.run(request.catch(() => undefined));
}

/** Creates the pool again if a user has deleted it; a pool that does not go shows in the end. */
async function recreate(world: World): Promise<void> {
  const objects = (): readonly object[] =>
    [MachinePool, AzureMachinePool, KubeadmConfig].flatMap((kind) => listed(world, kind));
  const isDeleted = listed<MachinePool>(world, MachinePool).every(
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
  );
  if (!isDeleted) return;
  await world.until(() => objects().length === 0, 2 * HOUR_MS);
  await createPrototypePool(world, { interval: "8000h" });
}

/** What users do in a storm of this seed. */
function editsOf({ edits }: Choice): readonly ((world: World) => Edit)[] {
  return [...EDITS.map((one) => () => one), ...edits];
}

/** Every third process runs without the feature gate. */
function isOn(start: number): boolean {
  return start % 3 !== 2;
}

/** Whether the renewal that the story asks for in the end is over; without the gate none begins. */
function isOver(world: World): boolean {
  const { nodePrototyping: record, conditions } = stored(world)?.status ?? {};
  const isOff = getCondition(conditions, "LastOsCache")?.reason === "SwitchedOff";
  return isOff || (record?.phase === "Idle" && record.observedTrigger === "end");
}

function endOf(world: World) {
  return {
    phase: stored(world)?.status?.nodePrototyping?.phase ?? "Idle",
    leftovers: leftovers(world),
    ready: listed<AzureMachinePoolMachine>(world, AzureMachinePoolMachine).filter(
      ({ status }) => status?.ready === true,
    ).length,
    cordoned: nodesIn(world).filter(({ spec }) => spec?.unschedulable === true).length,
  };
}

const { seeds } = stormSeeds("storms of renewals", {
  // A storm that found a bug once, and two of other choices.
  sample: [152, 1, 3],
  all: numbersFrom(1, 260),
});

test.each(seeds)(
  "renewals among edits and faults end with every node in service: seed %i",
  { timeout: 300_000 },
  async (seed) => {
    const rng = createRng(String(seed), "renewal storm");
    const faults = faultsOf("swarm", String(seed));
    const choice = CHOICES[seed % CHOICES.length] ?? { settings: {}, edits: [] };
    const edits = editsOf(choice);
    const run = await rehearse(
      {
        world: { seed: String(seed), controllers: prototypeControllers(isOn), invariants: INVARIANTS },
        story: async (world) => {
          await plantCluster(world);
          await createPrototypePool(world, { interval: "1h", more: choice.settings });
          await world.advance(30 * MINUTE_MS);
          for (let count = 0; count < 6; count++) {
            await edit(world, [
              AzureMachinePool,
              { metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: String(count) } } },
            ]);
            await world.advance(Math.round(rng.next() * 12 * MINUTE_MS));
            const chosen = edits[Math.floor(rng.next() * edits.length)];
            if (chosen) await edit(world, chosen(world));
            await world.advance(Math.round(rng.next() * 20 * MINUTE_MS));
          }
          await world.heal();
          // A paused pool is not deleted.
          await edit(world, RESUMED);
          await recreate(world);
          for (const one of DESIRED) await edit(world, one);
          await world.advance(120 * MINUTE_MS);
          await world.until(() => isOver(world), 8 * HOUR_MS);
        },
        endState: endOf,
      },
      faults,
    );
    const names = faults.map(({ fault }) => fault).join(", ");
    expect(run.failure, `seed ${seed}, faults: ${names}`).toBeUndefined();
    // A machine that never joins stays: no health check runs here.
    const isLacking = faults.some(({ fault }) => fault === "node-never-joins");
    const ready: unknown = isLacking ? expect.any(Number) : 3;
    expect(run.end, `seed ${seed}, faults: ${names}`).toEqual({
      phase: "Idle",
      leftovers: [],
      ready,
      cordoned: 0,
    });
  },
);
