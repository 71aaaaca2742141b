import type { Frozen, Node } from "@capstan/api";
import { isCordoned, isReady } from "../readiness.ts";
import { lastPart } from "../machine-id.ts";

/** How many machines of a scale set can do work, and how few it has been. */
export interface Pool {
  readonly name: string;
  readonly scaleSetId: string;
  /** Machines that run and whose Node is Ready, schedulable and initialized. */
  readonly available: number;
  /** The fewest since the number of available machines first reached the capacity. */
  readonly lowest?: { readonly available: number; readonly of: number; readonly atMs: number };
  /** When an available machine was last lost without a cordon before: no user or controller had decided that. */
  readonly lossMs?: number;
}

interface PoolState {
  readonly scaleSetId: string;
  available: number;
  lowest?: { available: number; of: number; atMs: number };
  lossMs?: number;
}

/** The facts about a machine at a moment. */
export interface MachineFacts {
  readonly isRunning: boolean;
  readonly node: Frozen<Node> | undefined;
  /** The id of its scale set in lower case; undefined for a machine that is not an instance. */
  readonly setKey: string | undefined;
  /** Its scale set, if Azure still has it. */
  readonly set: { readonly id: string; readonly capacity: number } | undefined;
  readonly atMs: number;
}

const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

/** Which machines can do work, by machine id, and how many of each scale set. */
export class Availability {
  /** Since when each machine that can do work has been able to. */
  readonly #sinceMs = new Map<string, number>();
  /** Machines that do not run although their Nodes are Ready. */
  readonly #deceiving = new Set<string>();
  /** By the id of the scale set in lower case. */
  readonly #pools = new Map<string, PoolState>();

  /** The scale sets that have, or had, machines. */
  pools(): Pool[] {
    return [...this.#pools.values()].map(({ scaleSetId, available, lowest, lossMs }) => ({
      name: lastPart(scaleSetId),
      scaleSetId,
      available,
      ...(lowest && { lowest }),
      ...(lossMs !== undefined && { lossMs }),
    }));
  }

  /** Since when a machine can do work; undefined while it cannot. */
  sinceMs(machineId: string): number | undefined {
    return this.#sinceMs.get(machineId);
  }

  /** Records the facts about a machine after a change of it or of its Node. */
  note(machineId: string, facts: MachineFacts): void {
    const { isRunning, node, setKey, set, atMs } = facts;
    const pool = this.#poolOf(setKey, set?.id);
    const works = isAvailable(node);
    const isLostUnseen = this.#noteDeceit(machineId, works && !isRunning);
    const change = this.#noteWork(machineId, works && isRunning, atMs);
    if (!pool) return;
    pool.available += change;
    if ((change < 0 && !isCordoned(node)) || isLostUnseen) pool.lossMs = atMs;
    noteLowest(pool, set?.capacity ?? 0, atMs);
  }

  /** The change of the number of available machines: 1, 0 or -1. */
  #noteWork(machineId: string, canWork: boolean, atMs: number): number {
    if (canWork === this.#sinceMs.has(machineId)) return 0;
    if (canWork) this.#sinceMs.set(machineId, atMs);
    else this.#sinceMs.delete(machineId);
    return canWork ? 1 : -1;
  }

  /** A machine that stopped while it joined is lost before a controller could use it; returns whether that is new. */
  #noteDeceit(machineId: string, isDeceiving: boolean): boolean {
    const isNew = isDeceiving && !this.#deceiving.has(machineId);
    if (isDeceiving) this.#deceiving.add(machineId);
    else this.#deceiving.delete(machineId);
    return isNew;
  }

  #poolOf(key: string | undefined, scaleSetId = key): PoolState | undefined {
    if (key === undefined || scaleSetId === undefined) return undefined;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool: PoolState = { scaleSetId, available: 0 };
    this.#pools.set(key, pool);
    return pool;
  }
}

/** A pool has no lowest number until it has been complete for the first time. */
function noteLowest(pool: PoolState, desired: number, atMs: number): void {
  const { available } = pool;
  const isChanged = pool.lowest ? available < pool.lowest.available : desired > 0 && available >= desired;
  if (isChanged) pool.lowest = { available, of: desired, atMs };
}

function isAvailable(node: Frozen<Node> | undefined): boolean {
  const isInitialized = node?.spec?.taints?.every(({ key }) => key !== UNINITIALIZED) ?? true;
  return isReady(node) && !isCordoned(node) && isInitialized;
}
