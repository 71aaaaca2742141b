import {
  AzureManagedControlPlane,
  Cluster,
  type CustomKind,
  type Features,
  type Frozen,
  type Kind,
  KubeadmControlPlane,
  type KubernetesObject,
  Namespace,
  Secret,
  servedKind,
} from "@capstan/api";
import { builtInKinds } from "@capstan/apiserver";
import { type Client, Failure, isAlreadyExists } from "@capstan/runtime";
import { logicalName } from "../control-planes/logical-name.ts";
import { ViolationError } from "../invariants/invariant.ts";
import { managedClustersNamed } from "../managed-clusters/managed-clusters.ts";
import { type FaultPlan, faultsOf } from "../scenario/fault-plan.ts";
import type { Controllers } from "../world/managers.ts";
import { createWorld, NotAtRestError, type World, type WorldOptions } from "../world/world.ts";
import type { DurationModel, Fleet, WorkloadObjects } from "./fleet.ts";
import { groupsIn, type GroupState, type StoredObjects } from "./groups.ts";
import { FleetRecorder } from "./recorder.ts";
import type { GroupRecord, RunRecord } from "./record.ts";

/** One rehearsal of a change. */
export interface FleetRehearsal {
  readonly fleet: Fleet;
  readonly seed: string;
  /** Faults that strike from the change on. */
  readonly faults: FaultPlan;
  readonly features: Features;
  readonly durations: DurationModel;
  /** The controllers of the product. */
  readonly controllers: Controllers;
  /** More servers of the world, such as updaters. */
  readonly servers?: (current: () => World) => NonNullable<WorldOptions["servers"]>;
  /** Applies the change as the user would; throws what the server answers. */
  readonly change: (user: Client) => Promise<void>;
  /** How much virtual time the change may take. */
  readonly limitMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
// Longer than the backoff of a controller that waits for another.
const QUIET_MS = 10 * MINUTE_MS;
const GROW_MS = 6 * HOUR_MS;
// A rollout that moves no machine for so long waits for something that a user has to do.
const STANDSTILL_MS = 3 * HOUR_MS;
const LOOK_MS = 5 * MINUTE_MS;

/** Grows a fleet in virtual time, applies a change to it, and records what happens until nothing does any more. */
export async function rehearseFleet(rehearsal: FleetRehearsal): Promise<RunRecord> {
  const { fleet, seed, controllers, features, durations, servers } = rehearsal;
  const { latencies, boot, pods } = durations;
  const made: { world?: World } = {};
  const current = (): World => {
    if (!made.world) throw new TypeError("servers of a world are asked after it was created");
    return made.world;
  };
  const world = await createWorld({
    seed,
    controllers,
    features,
    yieldTo: [KubeadmControlPlane, AzureManagedControlPlane],
    azure: { ...fleet.azure, ...(latencies && { latencies }) },
    ...(boot && { guests: { boot } }),
    ...(pods && { pods }),
    ...(servers && { servers: servers(current) }),
  });
  made.world = world;
  const recorder = new FleetRecorder(world, fleet.azure);
  try {
    return await play(world, recorder, rehearsal);
  } finally {
    world.close();
  }
}

async function play(world: World, recorder: FleetRecorder, rehearsal: FleetRehearsal): Promise<RunRecord> {
  const notes: string[] = [];
  const run: RunParts = { world, recorder, rehearsal, notes, before: [], grownMs: 0 };
  try {
    await grow(run);
    const refusal = await change(run);
    if (refusal !== undefined) return recordOf(run, { refusal, ...AT_REST });
    return recordOf(run, await runOn(run));
  } catch (error) {
    if (!(error instanceof ViolationError)) throw error;
    return recordOf(run, { isAtRest: false, isCutOff: false, defect: error.message });
  }
}

interface RunParts {
  readonly world: World;
  readonly recorder: FleetRecorder;
  readonly rehearsal: FleetRehearsal;
  /** What could not be grown. */
  readonly notes: string[];
  before: readonly GroupState[];
  grownMs: number;
}

async function grow(run: RunParts): Promise<void> {
  const { world, rehearsal } = run;
  const { objects, workloads } = rehearsal.fleet;
  world.start();
  const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  for (const name of namespaces) await create(run, world.user, { ...NAMESPACE, metadata: { name } });
  for (const object of objects) await create(run, world.user, object);
  await settle(run);
  for (const workload of workloads) await fill(run, workload);
  if (workloads.length > 0) await settle(run);
  run.before = groupsIn(storedIn(world));
  run.grownMs = world.scheduler.monotonicMs;
  // Events of the growth are not needed any more; those of thousands of machines take a lot of memory.
  world.trace.forget();
}

const NAMESPACE = { apiVersion: Namespace.apiVersion, kind: Namespace.kind };

async function settle({ world, notes }: RunParts): Promise<void> {
  try {
    await world.settle({ quietMs: QUIET_MS, limitMs: GROW_MS });
  } catch (error) {
    if (!(error instanceof NotAtRestError)) throw error;
    notes.push(`the fleet is ${error.message}`);
  }
}

async function create({ world, notes }: RunParts, client: Client, object: KubernetesObject): Promise<void> {
  const kind = kindFor(object);
  const { name, namespace } = object.metadata;
  const title = `${object.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  if (!kind) return void notes.push(`${title} is not simulated: ${object.apiVersion} is unknown here`);
  try {
    await world.run(client.create(kind, object));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!isAlreadyExists(error)) notes.push(`${title} is refused: ${error.message}`);
  }
}

/** The kind of an object: of ours, or of Kubernetes itself. */
export function kindFor({ apiVersion, kind: name }: KubernetesObject): Kind | undefined {
  if (name === Secret.kind && apiVersion === Secret.apiVersion) return Secret;
  const own = servedKind(apiVersion, name);
  return own ?? builtInKinds.find((one) => one.apiVersion === apiVersion && one.kind === name);
}

async function fill(run: RunParts, { namespace, cluster, objects }: WorkloadObjects): Promise<void> {
  const { world, notes } = run;
  const names = world.workloadNames();
  const [managed] = managedClustersNamed(managedNameOf(world, { namespace, name: cluster }), names);
  const client = world.workload(managed ?? logicalName({ namespace, name: cluster }));
  if (!client)
    return void notes.push(`Cluster ${namespace}/${cluster} has no API server, so its pods are missing`);
  const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  for (const name of namespaces) await create(run, client, { ...NAMESPACE, metadata: { name } });
  for (const object of objects) await create(run, client, object);
}

/** The name of the AKS cluster of a Cluster; empty if it has none. */
function managedNameOf(world: World, name: { readonly namespace: string; readonly name: string }): string {
  const { storage } = world.management;
  const cluster = storage.get({ resource: resourceOf(Cluster), ...name }) as Frozen<Cluster> | undefined;
  const { kind, name: controlPlane = "" } = cluster?.spec.controlPlaneRef ?? {};
  return kind === AzureManagedControlPlane.kind ? controlPlane : "";
}

/** Applies the change; returns why the server refuses it. */
async function change({ world, recorder, rehearsal }: RunParts): Promise<string | undefined> {
  recorder.begin();
  for (const fault of faultsOf(rehearsal.faults, rehearsal.seed)) world.addFault(fault);
  try {
    await world.run(rehearsal.change(world.user));
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

type RunEnd = Pick<RunRecord, "isAtRest" | "isCutOff">;
const AT_REST: RunEnd = { isAtRest: true, isCutOff: false };

/** Runs until nothing happens any more, no machine moves, or the time is over. */
async function runOn({ world, recorder, rehearsal }: RunParts): Promise<RunEnd> {
  const endMs = world.scheduler.monotonicMs + rehearsal.limitMs;
  const leftMs = (): number => endMs - world.scheduler.monotonicMs;
  while (leftMs() > 0) {
    if (world.scheduler.monotonicMs - recorder.lastWorkMs >= standstillMs(rehearsal.fleet))
      return { isAtRest: false, isCutOff: false };
    try {
      await world.settle({ quietMs: QUIET_MS, limitMs: Math.min(leftMs(), 6 * LOOK_MS) });
      return AT_REST;
    } catch (error) {
      if (!(error instanceof NotAtRestError)) throw error;
    }
  }
  return { isAtRest: false, isCutOff: true };
}

/** A drain with a limit moves on when its time is over, however long it stood still before. */
function standstillMs({ objects }: Fleet): number {
  const limits = JSON.stringify(objects).matchAll(/"nodeDrainTimeoutSeconds":(\d+)/g);
  const longestMs = Math.max(0, ...[...limits].map(([, seconds]) => Number(seconds) * 1000));
  return Math.max(STANDSTILL_MS, longestMs + HOUR_MS);
}

function recordOf(
  { world, recorder, rehearsal, notes, before, grownMs }: RunParts,
  result: RunEnd & Pick<RunRecord, "refusal" | "defect">,
): RunRecord {
  const after = groupsIn(storedIn(world));
  const known = new Map(before.map((group) => [group.key, group]));
  return {
    seed: rehearsal.seed,
    ...result,
    ungrown: notes,
    grownMs,
    ...recorder.end(),
    groups: after.map((group) => ({
      ...groupRecord(known.get(group.key), group),
      why: recorder.whyOf(group.key),
    })),
    steps: world.scheduler.steps,
  };
}

function groupRecord(
  before: GroupState | undefined,
  { replicas, ...after }: GroupState,
): Omit<GroupRecord, "why"> {
  const unfinishedBefore = before?.unfinished;
  return {
    ...after,
    replicasBefore: before?.replicas ?? 0,
    replicasAfter: replicas,
    ...(unfinishedBefore !== undefined && { unfinishedBefore }),
  };
}

function storedIn(world: World): StoredObjects {
  const { storage } = world.management;
  return {
    all: <T extends KubernetesObject>(kind: CustomKind<T>) =>
      [...storage.list({ resource: resourceOf(kind) })] as unknown as Frozen<T>[],
  };
}

function resourceOf({ group, plural }: Kind): string {
  return `${group}/${plural}`;
}
