import {
  AzureManagedControlPlane,
  Cluster,
  DEFAULT_FEATURES,
  type Features,
  KubeadmControlPlane,
} from "@capstan/api";
import { Failure, type Reconciler } from "@capstan/runtime";
import { STAND_IN_ANNOTATION } from "../control-planes/decide.ts";
import type { Invariant } from "../invariants/invariant.ts";
import { ViolationError } from "../invariants/invariant.ts";
import { type FaultPlan, faultsOf } from "../scenario/fault-plan.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { WORKLOAD_CLUSTER } from "../scenario/scenario-world.ts";
import type { RunFacts } from "../story/summary.ts";
import type { TraceEvent } from "../trace/trace-event.ts";
import type { ManagerConnections } from "../world/managers.ts";
import { createWorld, NotAtRestError, type World } from "../world/world.ts";
import { problemsWith } from "./hold.ts";
import { perform } from "./perform.ts";
import { createNetwork } from "./scale-set.ts";
import { StepError } from "./step-error.ts";

/** The options of a scenario run. */
export interface ScenarioRunOptions {
  readonly scenario: Scenario;
  readonly seed: string;
  readonly faults: FaultPlan;
  /** The controllers under test, with the features of the scenario. */
  readonly controllers: (connections: ManagerConnections, features: Features) => readonly Reconciler[];
  /** The features that are on unless the scenario says otherwise; the defaults unless given. */
  readonly features?: Features;
  readonly invariants?: readonly Invariant[];
  /** Runs for each event. */
  readonly onEvent?: (event: TraceEvent) => void;
}

/** The result of a scenario run. */
export interface ScenarioRun {
  readonly events: readonly TraceEvent[];
  readonly facts: RunFacts;
  /** The violated invariant or failed step, by name and as a sentence; absent when the run succeeded. */
  readonly failure?: Pick<Invariant, "name" | "says">;
}

// The control plane of a Cluster starts within seconds.
const CONTROL_PLANE_MS = 10 * 60_000;
const REST_MS = 30 * 60_000;

/** Runs a scenario in a new world, from its first step to its last expectation. */
export async function runScenario(options: ScenarioRunOptions): Promise<ScenarioRun> {
  const { scenario, seed, faults, controllers, invariants = [], onEvent } = options;
  const { clusters: _, features: own, ...settings } = scenario.world;
  const features = { ...(options.features ?? DEFAULT_FEATURES), ...own };
  const switchedOn = faultsOf(faults, seed);
  const world = await createWorld({
    ...settings,
    seed,
    controllers: (connections) => controllers(connections, features),
    features,
    invariants,
    faults: switchedOn,
    // As `capstan up` does: the stand-in serves only Clusters whose control plane no controller makes.
    yieldTo: [KubeadmControlPlane, AzureManagedControlPlane],
  });
  if (onEvent) world.trace.onEvent(onEvent);
  const failure = await failureIn(world, () => play(world, scenario));
  const { trace, scheduler, truth, azure } = world;
  return {
    events: trace.events,
    facts: {
      scenario: scenario.name,
      seed,
      traceHash: trace.hash,
      journal: { requests: azure.core.journal.count, hash: azure.core.journal.hash },
      virtualMs: scheduler.monotonicMs,
      steps: scheduler.steps,
      armed: [
        ...switchedOn,
        ...scenario.steps.flatMap(({ action }) => ("fault" in action ? action.fault : [])),
      ].map(({ fault }) => fault),
      pools: truth.pools().map(({ name, lowest }) => ({ name, ...(lowest && { lowest }) })),
    },
    ...(failure && { failure }),
  };
}

async function play(world: World, scenario: Scenario): Promise<void> {
  await prepare(world, scenario.world.clusters ?? [WORKLOAD_CLUSTER]);
  world.start();
  const endMs = world.scheduler.monotonicMs + scenario.limitMs;
  const limits = { leftMs: () => Math.max(0, endMs - world.scheduler.monotonicMs) };
  for (const { action, text } of scenario.steps) {
    world.trace.record("user", { kind: "step", text });
    await perform(world, action, limits);
    if (limits.leftMs() === 0) throw new StepError(`the run reached its time limit after "${text}"`);
  }
  await world.heal();
  await world.rest(Math.min(REST_MS, limits.leftMs()));
  const problems = scenario.expect.flatMap((claims) => problemsWith(world, claims));
  if (problems.length > 0) throw new ExpectationError(problems.join("; "));
}

/** An expectation at the end of the scenario that does not hold. */
class ExpectationError extends Error {
  override readonly name = "ExpectationError";
}

/** Creates the clusters and the network before the first step. */
async function prepare(world: World, clusters: readonly string[]): Promise<void> {
  for (const name of clusters) {
    const key = { name, namespace: "default" };
    const { group: apiGroup, kind } = KubeadmControlPlane;
    // Simulated control planes serve as its control plane.
    const metadata = { ...key, annotations: { [STAND_IN_ANNOTATION]: "true" } };
    const spec = { controlPlaneRef: { apiGroup, kind, name } };
    await world.run(world.user.create(Cluster, { metadata, spec }));
    const { storage } = world.management;
    const isThere = (): boolean => {
      const cluster = storage.get({ resource: `${Cluster.group}/${Cluster.plural}`, ...key });
      return (
        world.workload(name) !== undefined &&
        (cluster as Cluster | undefined)?.spec?.controlPlaneEndpoint !== undefined
      );
    };
    if (!(await world.until(isThere, CONTROL_PLANE_MS)))
      throw new StepError(`the control plane of cluster ${name} does not start`);
  }
  await createNetwork(world);
}

/** A failure of the run is its result; a bug of the simulation is thrown. */
async function failureIn(world: World, run: () => Promise<void>): Promise<ScenarioRun["failure"]> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (error instanceof ViolationError) return error.invariant;
    const known = SAYS.find(({ type }) => error instanceof type);
    if (!known || !(error instanceof Error)) throw error;
    const { name, says } = known;
    world.trace.record("world", { kind: "violation", invariant: name, text: error.message });
    return { name, says };
  }
}

const SAYS = [
  { type: StepError, name: "steps-succeed", says: "every step of a scenario succeeds within its time" },
  {
    type: ExpectationError,
    name: "expectations-hold",
    says: "the expectations of a scenario hold at its end",
  },
  { type: NotAtRestError, name: "comes-to-rest", says: "the world comes to rest after the last step" },
  { type: Failure, name: "steps-succeed", says: "every step of a scenario succeeds within its time" },
] as const;
