/** Updaters of both dialects that lie, forget and answer late, under faults of the API server and crashes of the manager. */
import {
  controllerOf,
  DELETE_MACHINE_ANNOTATION,
  type Frozen,
  isUpdatingInPlace,
  Machine,
  MachineDeployment,
} from "@capstan/api";
import { createRng, type HttpResponse, type Rng } from "@capstan/env";
import { type Invariant, rehearse, type Rehearsal, type World } from "@capstan/sim";
import { defineUpdater, done, type FieldPath, inProgress, isBelow, type Updater } from "@capstan/updater";
import { expect, test } from "vitest";
import { numbersFrom, replayCommand, stormSeeds } from "../../../sample.ts";
import { STORM } from "../../kit/api-server-faults.ts";
import { create, patch } from "../../kit/cluster-world.ts";
import {
  createTemplate,
  DEPLOYMENT,
  deployment,
  isAvailable,
  PATIENCE_MS,
  prepare,
  referenceTo,
} from "../../kit/deployment-world.ts";
import { controllersWith, FEATURES, register, serversOf } from "../../kit/in-place-world.ts";
import { noContest } from "../../kit/no-contest.ts";
import { TestMachineTemplate } from "../../kit/test-provider.ts";
import { listed } from "../never-too-many.ts";

const REPLICAS = 3;
const FILE = "test/world/machinedeployment/in-place/storm.deep.ts";

/** Which updater works on which machine, from its first answer to its last one. */
interface Work {
  readonly open: Map<string, string>;
  /** The MachineSet of a machine, which stands for its desired state. */
  setOf: (machine: string) => string;
  readonly violations: string[];
}

/** What a storm does to its updaters. */
interface Weather {
  readonly rng: Rng;
  readonly work: Work;
}

/** An updater that needs some calls for each machine, and forgets now and then that it has begun; what is done stays done. */
function unsteady(name: string, fields: readonly FieldPath[], { rng, work }: Weather): Updater {
  const { open, violations } = work;
  const seen = new Map<string, number>();
  const finished = new Map<string, string>();
  const calls = 2 + rng.below(4);
  return defineUpdater({
    name,
    // No budget may count that.
    canUpdate: ({ changes }) => ({
      acceptedChanges: changes.filter((path) => isBelow(path, ...fields)),
      affectsAvailability: false,
    }),
    update: ({ machine }) => {
      // The answer was lost, or a cache is behind; the machine is as its spec says.
      if (finished.get(machine.name) === work.setOf(machine.name)) return done();
      const other = open.get(machine.name);
      if (other !== undefined && other !== name)
        violations.push(`${machine.name} is updated by ${other} and ${name} at once`);
      const call = rng.next() < 0.1 ? 1 : (seen.get(machine.name) ?? 0) + 1;
      const isDone = call >= calls;
      seen.set(machine.name, isDone ? 0 : call);
      if (isDone) {
        open.delete(machine.name);
        finished.set(machine.name, work.setOf(machine.name));
      } else open.set(machine.name, name);
      return isDone ? done() : inProgress(1 + rng.below(90), `call ${call}`);
    },
  });
}

/** Accepts what it was not asked about, and no change that is asked for. */
const liar = defineUpdater({
  name: "a-liar",
  canUpdate: () => ({ acceptedChanges: ["machine.spec.never"], affectsAvailability: false }),
  update: done,
});

const LIES: readonly unknown[] = [
  500,
  "<html>",
  [],
  { status: "Perhaps" },
  { status: "Failure", message: "busy" },
  { error: null, status: "InProgress", tryAgain: "soon" },
];

/** The updater in the dialect of Cluster API or of the proposal; it answers nonsense or nothing now and then. */
function inStorm({ handle, ...updater }: Updater, { rng }: Weather): Updater {
  const dialect = rng.next() < 0.5 ? { "user-agent": "Go-http-client/2.0" } : {};
  return {
    ...updater,
    handle: (request) => {
      if (!request.path.endsWith("/discovery")) {
        if (rng.next() < 0.1) return answered(rng.pick(LIES));
        if (rng.next() < 0.05) return new Promise(() => undefined);
      }
      return handle({ ...request, headers: { ...request.headers, ...dialect } });
    },
  };
}

function answered(body: unknown): Promise<HttpResponse> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return Promise.resolve({
    status: typeof body === "number" ? body : 200,
    headers: {},
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(body),
    lines: async function* () {
      yield await Promise.resolve(body);
    },
  });
}

interface Limits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

const LIMITS: readonly Limits[] = [
  { maxSurge: 0, maxUnavailable: 1 },
  { maxSurge: 2, maxUnavailable: 1 },
  { maxSurge: 0, maxUnavailable: 2 },
  { maxSurge: 2, maxUnavailable: 0 },
];

interface Watched {
  /** Whether all machines have come up, so that only updates take them away. */
  isUp: boolean;
}

function withinLimits({ maxUnavailable }: Limits, watched: Watched): Invariant {
  return {
    name: "within-limits",
    says: "no more machines are away than maxUnavailable, and one with maxUnavailable 0",
    watch: (truth) => ({
      called: () => {
        if (!watched.isUp) return undefined;
        const machines = listed<Machine>(truth, Machine);
        const updating = machines.filter(isUpdatingInPlace).length;
        if (updating > Math.max(maxUnavailable, 1)) return `${updating} machines are updated at once`;
        // A storm hides whether Nodes are Ready. One that seems not to be is updated without a spare machine.
        const inService = machines.filter(
          (machine) =>
            machine.status?.nodeRef &&
            !isUpdatingInPlace(machine) &&
            machine.metadata.deletionTimestamp === undefined,
        ).length;
        return inService < REPLICAS - Math.max(maxUnavailable, 1)
          ? `${inService} of ${REPLICAS} machines are in service`
          : undefined;
      },
    }),
  };
}

function keepsReadyMachines(watched: Watched): Invariant {
  return {
    name: "keeps-ready-machines",
    says: "no controller deletes a machine whose Node was ever Ready, but the spare one",
    watch: (truth) => {
      const ready = new Set<string>();
      return {
        called: ({ server, resource, verb, name }) => {
          const machines = listed<Machine>(truth, Machine);
          // A machine that is chosen before its Node comes is deleted all the same.
          const counted = machines.filter((machine) => isAvailable(machine) && markOf(machine) === undefined);
          for (const { metadata } of counted) ready.add(metadata.name);
          if (!watched.isUp || server !== "management" || resource !== Machine.plural || verb !== "delete")
            return undefined;
          const deleted = machines.find(({ metadata }) => metadata.name === name);
          const markedAs = deleted && markOf(deleted);
          return ready.has(name) && markedAs !== "Spare"
            ? `Machine ${name} marked as ${markedAs} is deleted`
            : undefined;
        },
      };
    },
  };
}

function markOf({ metadata }: Frozen<Machine>): string | undefined {
  return metadata.annotations?.[DELETE_MACHINE_ANNOTATION];
}

function updatedOnce(work: Work): Invariant {
  return {
    name: "updated-once",
    says: "no machine is updated by two updaters at once",
    watch: (truth) => {
      work.setOf = (name) => {
        const machine = listed<Machine>(truth, Machine).find(({ metadata }) => metadata.name === name);
        return (machine && controllerOf(machine)?.name) ?? "";
      };
      return { called: () => work.violations[0] };
    },
  };
}

async function change(world: World, size: string, failureDomain: string): Promise<void> {
  await createTemplate(world, size);
  const infrastructureRef = referenceTo(TestMachineTemplate, size);
  await patch(world, MachineDeployment, DEPLOYMENT, {
    spec: { template: { spec: { infrastructureRef, failureDomain } } },
  });
}

function stormOf(seed: number): Rehearsal {
  const rng = createRng(String(seed), "updaters");
  const weather: Weather = { rng, work: { open: new Map(), violations: [], setOf: () => "" } };
  const watched = { isUp: false };
  const limits = rng.pick(LIMITS);
  const updaters = [
    liar,
    unsteady("resizer", ["infraMachine.spec.size"], weather),
    unsteady("zones", ["machine.spec.failureDomain"], weather),
  ].map((updater) => inStorm(updater, weather));
  const invariants = [
    withinLimits(limits, watched),
    keepsReadyMachines(watched),
    updatedOnce(weather.work),
    noContest,
  ];
  return {
    world: {
      seed: String(seed),
      controllers: controllersWith(),
      managers: 1 + rng.below(2),
      features: FEATURES,
      servers: serversOf(updaters),
      invariants,
    },
    story: async (world) => {
      await prepare(world);
      for (const { name } of updaters) await register(world, name);
      const strategy = { type: "InPlace" as const, rollingUpdate: limits };
      await create(
        world,
        MachineDeployment,
        deployment({ spec: { replicas: REPLICAS, rollout: { strategy } } }),
      );
      await world.until(() => available(world) === REPLICAS, PATIENCE_MS);
      watched.isUp = true;
      await change(world, "large", "2");
      await world.advance((10 + rng.below(600)) * 1000);
      // Machines in all states get another template.
      await change(world, "larger", "3");
      const isDone = await world.until(() => isChanged(world), 24 * PATIENCE_MS);
      if (!isDone) throw new Error("the machines do not reach their last template");
    },
    endState: () => undefined,
  };
}

function available({ truth }: World): number {
  return listed<Machine>(truth, Machine).filter(isAvailable).length;
}

function isChanged({ truth }: World): boolean {
  const machines = listed<Machine>(truth, Machine);
  return (
    machines.length === REPLICAS &&
    machines.every(
      (machine) => machine.spec.failureDomain === "3" && isAvailable(machine) && !isUpdatingInPlace(machine),
    )
  );
}

const { seeds } = stormSeeds("storms of updaters of both dialects", {
  // Each found a defect: a spare machine that was forgotten, and a Retry-After that was not honoured.
  sample: [2, 12],
  all: numbersFrom(1, 300),
});

test.each(seeds)(
  "storm %i ends with all machines updated, within the limits, each by one updater at a time",
  async (seed) => {
    const { failure } = await rehearse(stormOf(seed), STORM);
    expect(failure, replayCommand(FILE, seed)).toBeUndefined();
  },
);
