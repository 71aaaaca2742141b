import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  type AzureMachineTemplate,
  type Frozen,
  type Machine,
  type MachinePool,
  type MachineSet,
  nodePrototypingOf,
  parseDuration,
  PROTOTYPE_NOW_ANNOTATION,
  PROTOTYPE_PIN_ANNOTATION,
  templatePrototypingOf,
} from "@capstan/api";
import {
  decidePin,
  decideStart,
  IDLE,
  isRunning,
  type PrototypeRecord,
  type StartDecision,
  type StartFacts,
} from "@capstan/plan";
import type { FleetChange, ImageOwner } from "./fleet/fleet.ts";
import { PIN_UNKNOWN, PINNED, timesOf } from "./steps/idle.ts";
import { candidateIn, changeOfPool } from "./fleet/pool-fleet.ts";
import type { Scope } from "./scope.ts";
import { refusalOf, type RefusedUsers, templateFacts } from "./fleet/template-fleet.ts";

/** The objects of a pool. */
interface PoolObjects {
  readonly pool: Frozen<AzureMachinePool>;
  readonly machinePool: Frozen<MachinePool>;
  readonly machines: readonly Frozen<AzureMachinePoolMachine>[];
}

/**
 * What the controller of node images does next with a pool, by its objects alone: no machine is asked what it has
 * installed, so a renewal that would end because nothing has changed is planned. Undefined if the pool does not use the feature.
 */
export function planPrototype(objects: PoolObjects, nowMs: number): StartDecision | undefined {
  const { pool, machinePool, machines } = objects;
  const settings = nodePrototypingOf(pool);
  if (!settings) return undefined;
  return planOwner(pool, settings, {
    nowMs,
    changing: () => changeOfPool({ pool, machinePool }),
    desired: machinePool.spec.replicas ?? 1,
    sizeField: "spec.replicas of the MachinePool",
    candidates: () => machines.map((machine) => candidateIn(machine, pool.status?.modelHash)),
  });
}

/** A template, and objects among which its machines and their owners are. */
interface TemplateObjects extends RefusedUsers {
  readonly template: Frozen<AzureMachineTemplate>;
  readonly sets: readonly Frozen<MachineSet>[];
  readonly machines: readonly Frozen<Machine>[];
}

/** The same for an AzureMachineTemplate. */
export function planTemplatePrototype(objects: TemplateObjects, nowMs: number): StartDecision | undefined {
  const { template } = objects;
  const settings = templatePrototypingOf(template);
  if (!settings) return undefined;
  const refusal = refusalOf(template, objects);
  if (refusal !== undefined) return { do: "wait", reason: "SwitchedOff", why: refusal, afterMs: 0 };
  return planOwner(template, settings, { nowMs, ...templateFacts(template, objects) });
}

type KnownFacts = Pick<StartFacts, "nowMs" | "desired" | "sizeField" | "candidates"> & {
  readonly changing: () => FleetChange | undefined;
};

function planOwner(
  owner: Frozen<ImageOwner>,
  { interval, window }: NonNullable<Scope["settings"]>,
  { changing, ...known }: KnownFacts,
): StartDecision {
  const record = owner.status?.nodePrototyping ?? IDLE;
  if (isRunning(record)) return running(record);
  const pin = decidePin(owner.metadata.annotations?.[PROTOTYPE_PIN_ANNOTATION], record.history ?? []);
  if (pin.do === "hold") return { do: "wait", reason: PINNED, why: pin.why, afterMs: 0 };
  if (pin.do === "refuse") return { do: "wait", reason: PIN_UNKNOWN, why: pin.why, afterMs: 0 };
  const obstacle = changing();
  return decideStart({
    ...known,
    record,
    ...timesOf(owner),
    intervalMs: parseDuration(interval),
    window,
    trigger: owner.metadata.annotations?.[PROTOTYPE_NOW_ANNOTATION],
    obstacles: obstacle ? [obstacle] : [],
    ...UNKNOWN,
  });
}

/** What the objects of one owner do not tell. */
const UNKNOWN = {
  others: { inCluster: 0, inManager: 0 },
} as const;

function running({ phase, timeline }: PrototypeRecord): StartDecision {
  const since = timeline?.at(-1)?.startedAt;
  const why = `a renewal is in the step ${phase}${since === undefined ? "" : ` since ${since}`}`;
  return { do: "wait", reason: phase, why, afterMs: 0 };
}
