import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  type Frozen,
  type MachinePool,
  nodePrototypingOf,
  parseDuration,
  PROTOTYPE_NOW_ANNOTATION,
} from "@capstan/api";
import { IDLE, isRunning, type PrototypeRecord } from "../../images/record.ts";
import { decideStart, type StartDecision } from "../../images/start.ts";
import { candidateIn, changeOfPool } from "./pool-fleet.ts";
import { timesOf } from "./idle.ts";

/** The objects of a pool. */
interface PrototypePlanObjects {
  readonly pool: Frozen<AzureMachinePool>;
  readonly machinePool: Frozen<MachinePool>;
  readonly machines: readonly Frozen<AzureMachinePoolMachine>[];
}

/**
 * What the controller of node images does next with a pool, by its objects alone: the Nodes are not read, so a renewal that
 * would be skipped because nothing has changed is planned. Undefined if the pool does not use the feature.
 */
export function planPrototype(objects: PrototypePlanObjects, nowMs: number): StartDecision | undefined {
  const { pool, machinePool, machines } = objects;
  const settings = nodePrototypingOf(pool);
  if (!settings) return undefined;
  const record = pool.status?.nodePrototyping ?? IDLE;
  if (isRunning(record)) return running(record);
  const obstacle = changeOfPool({ pool, machinePool });
  return decideStart({
    nowMs,
    record,
    ...timesOf(pool),
    seed: `${pool.metadata.uid}`,
    intervalMs: parseDuration(settings.interval),
    window: settings.window,
    trigger: pool.metadata.annotations?.[PROTOTYPE_NOW_ANNOTATION],
    obstacles: obstacle ? [obstacle] : [],
    desired: machinePool.spec.replicas ?? 1,
    sizeField: "spec.replicas of the MachinePool",
    candidates: () => machines.map((machine) => candidateIn(machine, pool.status?.modelHash)),
    ...UNKNOWN,
  });
}

/** What the objects of one pool do not tell. */
const UNKNOWN = {
  fingerprintOf: () => undefined,
  activeFingerprint: undefined,
  badFingerprints: new Set<string>(),
  others: { inCluster: 0, inManager: 0 },
} as const;

function running({ phase, timeline }: PrototypeRecord): StartDecision {
  const since = timeline?.at(-1)?.startedAt;
  const why = `a renewal is in the step ${phase}${since === undefined ? "" : ` since ${since}`}`;
  return { do: "wait", reason: phase, why, afterMs: 0 };
}
