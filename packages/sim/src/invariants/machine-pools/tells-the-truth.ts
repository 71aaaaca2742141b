import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  deepEqual,
  type Frozen,
  getCondition,
} from "@capstan/api";
import type { Azure } from "@capstan/azure-sim";
import { machineIdIn } from "../../machine-id.ts";
import { isReady } from "../../readiness.ts";
import type { Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { PoolLookup, type PoolRecord } from "./pool-lookup.ts";

/** I22: the status reports what is true, and all of it. */
export const tellsTheTruth: Invariant = {
  name: "tells-the-truth",
  says: "at rest, the status of each machine and the counters of each pool agree with Azure and the Nodes",
  watch: (truth) => {
    const poolLookup = new PoolLookup(truth);
    return {
      atRest: () => {
        for (const record of poolLookup.pools()) {
          const problem = isToldOf(record) ? lieIn(truth, poolLookup, record) : undefined;
          if (problem !== undefined) return problem;
        }
        return undefined;
      },
    };
  },
};

/**
 * A paused pool is not reconciled, and a deleted one reports by its conditions. An operation may have ended a moment ago:
 * its controller has not polled yet.
 */
function isToldOf(record: PoolRecord): boolean {
  const { status } = record.pool;
  const isWaiting = status?.operation !== undefined || (status?.instanceOperations ?? []).length > 0;
  return !record.isLeaving && !record.isPaused && !isWaiting;
}

/** An instance of a scale set, with its AzureMachinePoolMachine and its real state. */
interface Member {
  readonly machineId: string;
  readonly machine: Frozen<AzureMachinePoolMachine> | undefined;
  readonly isNodeReady: boolean;
  readonly isAvailable: boolean;
  readonly isLatest: boolean;
}

function lieIn(truth: Truth, poolLookup: PoolLookup, record: PoolRecord): string | undefined {
  const members = membersOf(truth, poolLookup, record);
  for (const [what, reported, real] of [...members.flatMap(readinessOf), ...countersOf(record, members)]) {
    if (!deepEqual(reported, real))
      return `${what} is ${JSON.stringify(reported)}, but must be ${JSON.stringify(real)}`;
  }
  return undefined;
}

/** A reported value, and the real one. */
type Claim = readonly [what: string, reported: unknown, real: unknown];

function readinessOf(member: Member): Claim[] {
  const { machine } = member;
  if (!machine || isLeaving(machine)) return [];
  const { name } = machine.metadata;
  return [
    [
      `status.ready of AzureMachinePoolMachine ${name}`,
      machine.status?.ready ?? false,
      isReallyReady(member),
    ],
    ...contractOf(machine),
  ];
}

/** The fields of contract v1beta2 say the same as those of v1beta1: what is ready has been provisioned, and is not paused. */
function contractOf({ kind, metadata, status }: Frozen<AzureMachinePool | AzureMachinePoolMachine>): Claim[] {
  if (status?.ready !== true) return [];
  const of = `of ${kind} ${metadata.name}`;
  return [
    [`status.initialization.provisioned ${of}`, status.initialization?.provisioned, true],
    [`condition Paused ${of}`, getCondition(status.conditions, "Paused")?.status, "False"],
  ];
}

/** A machine that is drained for an update in place is not ready, even if its Node is. */
function isReallyReady({ machine, isNodeReady }: Member): boolean {
  return isNodeReady && getCondition(machine?.status?.conditions, "Drained") === undefined;
}

function countersOf(record: PoolRecord, members: readonly Member[]): Claim[] {
  const { pool, owner } = record;
  const staying = members.filter(({ machine }) => machine && !isLeaving(machine));
  const ready = staying.filter(isReallyReady);
  const ids = members.map(({ machineId }) => machineId).sort();
  const shared = [pool, ...(owner ? [owner] : [])].flatMap(({ kind, metadata, spec, status }): Claim[] => [
    [`status.replicas of ${kind} ${metadata.name}`, status?.replicas ?? 0, ready.length],
    [`spec.providerIDList of ${kind} ${metadata.name}`, idsIn(spec.providerIDList), ids],
  ]);
  return [...shared, ...contractOf(pool), ...upToDateOf(record, staying), ...nodesOf(record, members)];
}

/** No machine can have a model that Azure has refused or not been sent yet. */
function upToDateOf({ pool: { metadata, status } }: PoolRecord, staying: readonly Member[]): Claim[] {
  if (getCondition(status?.conditions, "ScaleSetModelUpdated")?.status !== "True") return [];
  const upToDate = staying.filter(({ isLatest }) => isLatest).length;
  return [
    [`status.upToDateReplicas of AzureMachinePool ${metadata.name}`, status?.upToDateReplicas, upToDate],
  ];
}

function nodesOf({ owner, desired }: PoolRecord, members: readonly Member[]): Claim[] {
  if (!owner) return [];
  const { readyReplicas = 0, availableReplicas = 0, deprecated } = owner.status ?? {};
  const { unavailableReplicas = 0 } = deprecated?.v1beta1 ?? {};
  const ready = members.filter(({ isNodeReady }) => isNodeReady).length;
  const available = members.filter(({ isAvailable }) => isAvailable).length;
  const of = `of MachinePool ${owner.metadata.name}`;
  return [
    [`status.readyReplicas ${of}`, readyReplicas, ready],
    [`status.availableReplicas ${of}`, availableReplicas, available],
    [`status.unavailableReplicas ${of}`, unavailableReplicas, Math.max(desired - available, 0)],
  ];
}

function idsIn(list: readonly string[] | undefined): string[] {
  return (list ?? []).map((providerID) => machineIdIn(providerID) ?? providerID).sort();
}

function membersOf(truth: Truth, poolLookup: PoolLookup, record: PoolRecord): Member[] {
  const { scaleSets } = truth.azure.core.world;
  const set = [...scaleSets.sets.entries()].map(([, one]) => one).find(({ id }) => isNamed(id, record));
  if (!set) return [];
  return [...scaleSets.members(set.id).values()].map(({ machineId, id, power, model }) => ({
    machineId,
    machine: poolLookup.machine(record, String(id)),
    isNodeReady: power === "running" && isReady(truth.node(machineId)?.node),
    isAvailable: truth.isAvailable(machineId),
    isLatest: isSameModel(set, model, set.modelVersion),
  }));
}

type ScaleSet = NonNullable<ReturnType<Azure["core"]["world"]["scaleSets"]["get"]>>;

// Definitions in the gallery of a cluster: images of its own machines.
const PROTOTYPE = /\/galleries\/prototypes_/i;

/** Whether two models are the same for users: a machine from the image in the spec is as current as one from a prototype of it. */
function isSameModel(set: ScaleSet, one: number, other: number): boolean {
  const isPrototype = [one, other].some((version) => PROTOTYPE.test(set.models[version]?.image ?? ""));
  return deepEqual(modelOf(set, one, isPrototype), modelOf(set, other, isPrototype));
}

/** A model without its bootstrap data: renewed data does not make a machine outdated. */
function modelOf({ models }: ScaleSet, version: number, isAnyImage: boolean): unknown {
  const { profile, image, ...rest } = models[version] ?? {};
  const { osProfile, storageProfile, ...other } = (profile ?? {}) as {
    readonly osProfile?: object;
    readonly storageProfile?: object;
  };
  const storage = { ...storageProfile, ...(isAnyImage && { imageReference: "*" }) };
  return {
    ...rest,
    image: isAnyImage ? "*" : image,
    profile: { ...other, storageProfile: storage, osProfile: { ...osProfile, customData: "*" } },
  };
}

function isNamed(id: string, { pool }: PoolRecord): boolean {
  return id.toLowerCase().endsWith(`/${pool.metadata.name}`);
}

function isLeaving({ metadata }: Frozen<AzureMachinePoolMachine>): boolean {
  return metadata.deletionTimestamp !== undefined;
}
