import {
  controllerOf,
  hasUpdateFailed,
  isUpdatingInPlace,
  KubeadmConfig,
  Machine,
  MachineDeployment,
  MachineSet,
  RETRY_UPDATE_ANNOTATION,
} from "@capstan/api";
import type { HttpResponse } from "@capstan/env";
import { defineUpdater, done, failed, type FieldPath, inProgress, type Updater } from "@capstan/updater";
import type { Call, Invariant, Rehearsal, Truth, World } from "@capstan/sim";
import { create, patch, remove } from "../../kit/cluster-world.ts";
import type { Foreign } from "../../kit/foreign-kinds.ts";
import { DEPLOYMENT, deployment, isAvailable, PATIENCE_MS, prepare } from "../../kit/deployment-world.ts";
import { listed } from "../never-too-many.ts";
import { TestMachine, UNKNOWN_SIZE } from "../../kit/test-provider.ts";
import {
  controllersWith,
  FEATURES,
  register,
  resize,
  serversOf,
  testUpdater,
  useTemplate,
} from "../../kit/in-place-world.ts";
import { named } from "../life.ts";
import { noContest } from "../../kit/no-contest.ts";

const SIZE: FieldPath = "infraMachine.spec.size";

/** What happens to machines that are updated in place, and which updaters there are. */
interface Story {
  readonly updaters: () => readonly Updater[];
  readonly run: (world: World, watch: Watched) => Promise<void>;
}

/** Whether controllers may create or delete machines now. */
interface Watched {
  keepsMachines: boolean;
}

export const STORIES: Readonly<Record<string, Story>> = {
  update: {
    updaters: () => [testUpdater("other", ["machine.spec.version"]), testUpdater("resizer", [SIZE])],
    run: async (world, watched) => {
      watched.keepsMachines = true;
      await resize(world, "large");
      await world.rest(PATIENCE_MS);
    },
  },
  "change back": {
    updaters: () => [testUpdater("resizer", [SIZE], { rounds: 3 })],
    run: async (world, watched) => {
      watched.keepsMachines = true;
      await resize(world, "large");
      await world.until(() => updating(world.truth) > 0, PATIENCE_MS);
      await world.advance(5_000);
      await useTemplate(world, "small");
      await world.rest(PATIENCE_MS);
    },
  },
  fallback: {
    updaters: () => [testUpdater("other", ["machine.spec.version"])],
    run: async (world) => {
      const strategy = { fallbackRollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      await patch(world, MachineDeployment, DEPLOYMENT, { spec: { rollout: { strategy } } });
      await resize(world, "large");
      await world.rest(PATIENCE_MS);
    },
  },
  "failure and retry": {
    updaters: () => {
      repair.isDone = false;
      return [failingUntilRepair()];
    },
    run: async (world, watched) => {
      watched.keepsMachines = true;
      await resize(world, "large");
      await world.until(() => failedMachine(world.truth) !== undefined, PATIENCE_MS);
      const name = failedMachine(world.truth) ?? "";
      repair.isDone = true;
      await patch(world, Machine, name, {
        metadata: { annotations: { [RETRY_UPDATE_ANNOTATION]: "again" } },
      });
      await world.rest(PATIENCE_MS);
    },
  },
  "deletion in mid-update": {
    updaters: () => [testUpdater("resizer", [SIZE], { rounds: 4 })],
    run: async (world) => {
      await resize(world, "large");
      await world.until(() => updating(world.truth) > 0, PATIENCE_MS);
      await world.advance(30_000);
      const victim = listed<Machine>(world.truth, Machine).find(isUpdatingInPlace)?.metadata.name;
      if (victim !== undefined) await remove(world, Machine, victim);
      await world.rest(2 * PATIENCE_MS);
    },
  },
  "a spare machine": {
    updaters: () => [testUpdater("resizer", [SIZE])],
    run: async (world) => {
      const rollingUpdate = { maxSurge: 2, maxUnavailable: 0 };
      await patch(world, MachineDeployment, DEPLOYMENT, {
        spec: { rollout: { strategy: { rollingUpdate } } },
      });
      await world.rest(PATIENCE_MS);
      const before = machineNames(world.truth);
      await resize(world, "large");
      await world.rest(PATIENCE_MS);
      const after = machineNames(world.truth);
      if (before.join() !== after.join())
        throw new Error(`machines changed: ${before.join()} to ${after.join()}`);
    },
  },
  "a template that never worked": {
    updaters: () => [testUpdater("resizer", [SIZE])],
    run: async (world) => {
      await resize(world, UNKNOWN_SIZE);
      await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 4 } });
      await world.advance(5 * 60_000);
      await resize(world, "large");
      await world.rest(2 * PATIENCE_MS);
    },
  },
  "a slow and forgetful extension of Cluster API": {
    updaters: () => [forgetful()],
    run: async (world, watched) => {
      watched.keepsMachines = true;
      await resize(world, "large");
      await world.rest(2 * PATIENCE_MS);
    },
  },
  "a lying updater": {
    updaters: () => [liar(), testUpdater("resizer", [SIZE])],
    run: async (world, watched) => {
      watched.keepsMachines = true;
      await resize(world, "large");
      await world.rest(2 * PATIENCE_MS);
    },
  },
};

// One world runs at a time. A user repairs the cause before the retry, so a crash that loses an answer changes nothing.
const repair = { isDone: false };

/** Fails until a user has repaired the cause. */
function failingUntilRepair(): Updater {
  return defineUpdater({
    name: "resizer",
    canUpdate: ({ changes }) => changes,
    update: () => (repair.isDone ? done() : failed("no memory left")),
  });
}

function failedMachine(truth: Truth): string | undefined {
  return listed<Machine>(truth, Machine).find(hasUpdateFailed)?.metadata.name;
}

/** Accepts what it was not asked for, answers nonsense, changes its mind, and says Done without doing anything. */
function liar(): Updater {
  let calls = 0;
  const honest = defineUpdater({ name: "liar", canUpdate: ({ changes }) => changes, update: done });
  const nonsense = [
    500,
    "<html>",
    { status: "Perhaps" },
    { error: null, status: "InProgress", tryAgain: "soon" },
  ];
  return {
    ...honest,
    handle: async (request) => {
      if (request.path.endsWith("/can-update"))
        return answered({ error: null, acceptedChanges: ["infraMachine.spec.size", "machine.spec.never"] });
      if (!request.path.endsWith("/update")) return honest.handle(request);
      const lie = nonsense[calls++];
      return lie === undefined ? honest.handle(request) : answered(lie);
    },
  };
}

/** Speaks Cluster API's hooks; forgets each second call, and then begins the update again. */
function forgetful(): Updater {
  const calls = new Map<string, number>();
  const { handle, ...updater } = defineUpdater({
    name: "resizer",
    canUpdate: ({ changes }) => changes,
    update: ({ machine: { name } }) => {
      const call = (calls.get(name) ?? 0) + 1;
      calls.set(name, call);
      if (call % 2 === 0) return failed("no update of this machine is known");
      return call > 4 ? done() : inProgress(30, `step ${call}`);
    },
  });
  return {
    ...updater,
    handle: (request) =>
      handle({ ...request, headers: { ...request.headers, "user-agent": "Go-http-client/2.0" } }),
  };
}

function machineNames(truth: Truth): readonly string[] {
  return listed<Machine>(truth, Machine)
    .map(({ metadata: { name } }) => name)
    .toSorted();
}

function answered(body: unknown): HttpResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    status: typeof body === "number" ? body : 200,
    headers: {},
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(body),
    lines: async function* () {
      yield await Promise.resolve(body);
    },
  };
}

function updating(truth: Truth): number {
  return listed<Machine>(truth, Machine).filter(isUpdatingInPlace).length;
}

/** A story under the invariants of updates in place. */
export function rehearsalOf(name: string, seed: string, managers = 1): Rehearsal {
  const story = STORIES[name];
  if (!story) throw new Error(`there is no story ${name}`);
  const watched: Watched = { keepsMachines: false };
  const updaters = story.updaters();
  return {
    world: {
      seed,
      controllers: controllersWith(),
      managers,
      features: FEATURES,
      servers: serversOf(updaters),
      invariants: [keepsMachines(watched), withinBudget, noContest],
    },
    story: async (world) => {
      await prepare(world);
      for (const updater of updaters) await register(world, updater.name);
      const strategy = { type: "InPlace" } as const;
      await create(world, MachineDeployment, deployment({ spec: { replicas: 2, rollout: { strategy } } }));
      await world.rest(PATIENCE_MS);
      const before = identities(world.truth);
      await story.run(world, watched);
      const after = identities(world.truth);
      if (watched.keepsMachines && before !== after)
        throw new Error(`machines changed: ${before} to ${after}`);
    },
    endState: endOf,
  };
}

function identities(truth: Truth): string {
  return [Machine, TestMachine, KubeadmConfig]
    .flatMap((kind) =>
      listed(truth, kind).map(({ kind: name, metadata }) => `${name} ${metadata.name} ${metadata.uid}`),
    )
    .toSorted()
    .join(", ");
}

function keepsMachines(watched: Watched): Invariant {
  return {
    name: "keeps-machines",
    says: "no controller creates or deletes a machine that can be updated in place",
    watch: (truth) => ({
      called: (call) => {
        if (!watched.keepsMachines || call.server !== "management" || call.resource !== Machine.plural)
          return undefined;
        if (call.verb === "delete") return `Machine ${call.name} is deleted by ${call.by}`;
        return isCreation(truth, call) ? `Machine ${call.name} is created by ${call.by}` : undefined;
      },
    }),
  };
}

function isCreation(truth: Truth, { isApply, name, subresource }: Call): boolean {
  if (isApply !== true || subresource !== undefined) return false;
  return !listed<Machine>(truth, Machine).some(({ metadata }) => metadata.name === name);
}

const withinBudget: Invariant = {
  name: "within-budget",
  says: "at most one machine is updated at once, and no machine is without a MachineSet",
  watch: (truth) => ({
    called: () => {
      const count = updating(truth);
      if (count > 1) return `${count} machines are updated at once`;
      const lost = listed<Machine>(truth, Machine).find((machine) => !controllerOf(machine));
      return lost ? `Machine ${lost.metadata.name} has no controller` : undefined;
    },
  }),
};

function endOf({ truth }: World): unknown {
  const machines = listed<Machine>(truth, Machine);
  const [owner] = listed<MachineDeployment>(truth, MachineDeployment);
  const { conditions, deprecated, inPlace: _, ...status } = owner?.status ?? {};
  return {
    machines: machines.length,
    available: machines.filter(isAvailable).length,
    annotations: machines.flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {})),
    sets: listed<MachineSet>(truth, MachineSet).map(({ spec, metadata }) => [
      spec.replicas,
      Object.keys(metadata.annotations ?? {}).filter((name) => name.includes("in-place")),
    ]),
    infrastructure: listed<Foreign>(truth, TestMachine)
      .map(
        ({ spec, metadata }) => `${String(spec?.["size"])} ${Object.keys(metadata.annotations ?? {}).length}`,
      )
      .toSorted(),
    status: owner && { ...status, conditions: [conditions, deprecated?.v1beta1?.conditions].map(named) },
  };
}
