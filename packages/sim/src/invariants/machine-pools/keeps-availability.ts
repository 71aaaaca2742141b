import { UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { lastPart, scaleSetOf } from "../../machine-id.ts";
import type { Call } from "../../world/call.ts";
import type { Pool } from "../../world/availability.ts";
import type { Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { hasDonor } from "../node-images/image-owners.ts";
import { LimitLookup } from "./limits.ts";
import { PoolLookup, type PoolRecord } from "./pool-lookup.ts";

// A controller that cordons a machine has looked at the others no longer ago than this.
const MOST_AGE_MS = 30_000;
// A renewal looks at Nodes and not at Azure: a Node stays Ready for 40 s after the loss of its machine.
const MOST_AGE_OF_DONOR_MS = MOST_AGE_MS + 40_000;

/**
 * I1. Every disruption of a working machine starts with a cordon, so availability is counted at that moment. A machine that
 * a user deletes may lower it, and so may a loss that Azure or a guest caused just before. A plan that was recorded but not
 * started is checked again: a loss after that is no excuse.
 */
export const keepsAvailability: Invariant = {
  name: "keeps-availability",
  says: "no available machine is disrupted when fewer than replicas minus maxUnavailable would be left",
  watch: (truth) => {
    const poolLookup = new PoolLookup(truth);
    const limits = new LimitLookup(truth);
    const begun = new Beginnings(poolLookup);
    const byUser = new Set<string>();
    /** When a user last deleted a machine, by pool: from then on, other disruptions must wait. */
    const userDeletedMs = new Map<string, number>();
    /** Cordons that were sent: the Node does not show them yet. */
    const sent = new Map<string, string>();
    /**
     * The last event that an earlier decision could not know of: the loss or deletion of another machine, or the return of
     * this one.
     */
    const newsMs = (machine: string): number => {
      const scaleSet = scaleSetNameOf(machine);
      const backMs = truth.availableSinceMs(machine) ?? 0;
      const lossMs = countsOf(truth, scaleSet)?.lossMs ?? 0;
      return Math.max(lossMs, backMs, userDeletedMs.get(scaleSet) ?? 0);
    };
    return {
      happened: (event) => {
        limits.happened(event);
        const { happening, actor, atMs } = event;
        if (happening.kind === "process" && happening.event === "crashed") forget(sent, happening.process);
        if (happening.kind !== "write" || happening.resource !== "azuremachinepoolmachines") return undefined;
        begun.note(happening, atMs);
        if (happening.verb === "delete" && actor === "user") {
          byUser.add(happening.name);
          userDeletedMs.set(happening.name.slice(0, happening.name.lastIndexOf("-")), atMs);
        }
        return undefined;
      },
      answered: (call) => {
        if (call.isCordon) sent.delete(keyOf(call));
        return undefined;
      },
      called: (call, atMs) => {
        const machine = call.isCordon ? truth.machineOf(call.server, call.name) : undefined;
        if (machine === undefined || !truth.isAvailable(machine)) return undefined;
        const scaleSet = scaleSetNameOf(machine);
        const record = poolLookup.poolNamed(scaleSet);
        if (!record || isFree(record)) return undefined;
        const name = `${record.pool.metadata.name}-${lastPart(machine)}`;
        sent.set(keyOf(call), machine);
        if (byUser.has(name)) return undefined;
        const sinceMs = begun.sinceMs(name) ?? atMs;
        const left = availableIn(truth, scaleSet, sent.values());
        const floor = limits.since(record, sinceMs).floor - donorsOf(record);
        if (left >= floor || newsMs(machine) >= sinceMs - mostAgeOf(record, name)) return undefined;
        return `${call.by} cordons ${call.name}: ${left} available machines of ${scaleSet} would be left, at least ${floor} must stay`;
      },
    };
  },
};

/** Since when machines are being deleted or updated: an earlier decision could not know of later events. */
class Beginnings {
  readonly #poolLookup: PoolLookup;
  readonly #sinceMs = new Map<string, number>();

  constructor(poolLookup: PoolLookup) {
    this.#poolLookup = poolLookup;
  }

  /** Records the state of a machine after a write to it. */
  note(
    { name, namespace }: { readonly name: string; readonly namespace?: string | undefined },
    atMs: number,
  ): void {
    const { annotations, deletionTimestamp } = this.#poolLookup.machineNamed(name, namespace)?.metadata ?? {};
    const isBegun =
      deletionTimestamp !== undefined || annotations?.[UPDATE_INSTANCE_ANNOTATION] !== undefined;
    if (!isBegun) this.#sinceMs.delete(name);
    else if (!this.#sinceMs.has(name)) this.#sinceMs.set(name, atMs);
  }

  sinceMs(name: string): number | undefined {
    return this.#sinceMs.get(name);
  }
}

/** How many machines of a pool images are taken of now: one or none. They have a budget of their own. */
function donorsOf({ pool }: PoolRecord): number {
  return hasDonor(pool) ? 1 : 0;
}

/** How old a look at the other machines may be when this one is cordoned. */
function mostAgeOf({ pool }: PoolRecord, machine: string): number {
  const isDonor = hasDonor(pool) && pool.status?.nodePrototyping?.donor?.machine === machine;
  return isDonor ? MOST_AGE_OF_DONOR_MS : MOST_AGE_MS;
}

/** A pool that is being deleted, or that an autoscaler sizes, has no availability to keep. */
function isFree({ isLeaving, isExternallyScaled }: PoolRecord): boolean {
  return isLeaving || isExternallyScaled;
}

/** A call of a crashed process has been carried out by now, or never will be. */
function forget(sent: Map<string, string>, process: string): void {
  for (const key of sent.keys()) if (key.startsWith(`${process} `)) sent.delete(key);
}

function keyOf({ process, server, name }: Call): string {
  return `${process} ${server} ${name}`;
}

/** The name of the scale set of a machine; empty for a machine that is not an instance of one. */
function scaleSetNameOf(machineId: string): string {
  return lastPart(scaleSetOf(machineId) ?? "");
}

function availableIn(truth: Truth, scaleSet: string, without: Iterable<string>): number {
  const gone = [...new Set(without)].filter(
    (machine) => scaleSetNameOf(machine) === scaleSet && truth.isAvailable(machine),
  );
  return (countsOf(truth, scaleSet)?.available ?? 0) - gone.length;
}

function countsOf(truth: Truth, scaleSet: string): Pool | undefined {
  return truth.pools().find(({ name }) => name.toLowerCase() === scaleSet);
}
