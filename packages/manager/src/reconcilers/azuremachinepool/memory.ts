import type { Frozen, Operation } from "@capstan/api";
import type { Clock } from "@capstan/env";
import { type Arm, PollBackoff, type ScaleSetInstance, ScaleSetInstances } from "@capstan/azure";
import type { CheckedConfig } from "../../azure-cluster/cloud-config-secret.ts";
import { MachineIndex } from "./machine-index.ts";
import type { SeenSet } from "./scale-set-body.ts";

/** A write of the scale set that Azure has rejected. */
interface RejectedWrite {
  readonly error: Error;
  readonly retryAtMs: number;
  /** The desired state that was rejected. */
  readonly desiredStateKey: string;
  /** Azure counts too many models: a write of the capacity alone is still possible. */
  readonly isOfModels: boolean;
}

/** The in-memory state of one pool; a restarted process reads all of it again. */
export class PoolMemory {
  readonly instances: ScaleSetInstances;
  /** When each operation may be polled again. */
  readonly pollBackoff: PollBackoff;
  /** The scale set as it was last read; undefined inside when there was none. */
  set: { readonly seen: SeenSet | undefined; readonly atMs: number } | undefined;
  /** The last list, and the wall-clock time when it was requested. */
  listed: { readonly instances: readonly ScaleSetInstance[]; readonly atMs: number } | undefined;
  /** The last pass had nothing to wait for, so that rare reads of Azure are enough. */
  isSettled = false;
  /** A Node of the pool has changed, or an operation has ended, since the last list. */
  isDisturbed = false;
  /** An autoscaler has resized the set, and Azure had not finished when it was last read. */
  isResized = false;
  /** When (monotonic) and for which desired state the last plan was made. */
  decided: { readonly atMs: number; readonly desiredStateKey: string } | undefined;
  /** The capacities that running or failed writes may leave the scale set at. */
  capacities: number[] = [];
  /** When (monotonic) the counts of the pool were last published. */
  publishedAtMs = -Infinity;
  /** The last cloud-provider config. */
  cloudConfig: CheckedConfig | undefined;
  /** The problem of the spec of this generation; empty if it has none. */
  checked: { readonly generation: number; readonly problem: string } | undefined;
  /** The machines with their instances and Nodes, kept from pass to pass. */
  readonly machineIndex = new MachineIndex();
  /** The last rejected write of the scale set, until one is accepted. */
  refusal: RejectedWrite | undefined;
  readonly #clock: Clock;
  /** Operations that have ended, by instance, and when (monotonic): a list requested earlier does not show them. */
  readonly #ended = new Map<string, { readonly action: string | undefined; readonly atMs: number }>();
  #listSetOutMs = -Infinity;
  #arm: Arm | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.pollBackoff = new PollBackoff(clock);
    const list: Arm["list"] = (path, options) => {
      if (!this.#arm) throw new Error("instances are listed before there is a client for Azure");
      this.#listSetOutMs = clock.monotonic();
      return this.#arm.list(path, options);
    };
    this.instances = new ScaleSetInstances({ list }, clock);
  }

  /** Sets the client for lists. */
  use(arm: Arm): void {
    this.#arm = arm;
  }

  /** Azure lowers the capacity as soon as it accepts the deletion of instances. */
  shrink(by: number): void {
    const { seen, atMs = 0 } = this.set ?? {};
    if (seen) this.set = { seen: { ...seen, capacity: Math.max(0, seen.capacity - by) }, atMs };
  }

  /** An operation has ended; lists requested from now on show its effect. */
  noteEnd({ url = "", action, instanceIDs = [] }: Frozen<Operation>): void {
    this.pollBackoff.end(url);
    const atMs = this.#clock.monotonic();
    for (const id of instanceIDs) this.#ended.set(id, { action, atMs });
  }

  /** A list has arrived: forgets the operations that it shows. */
  noteList(): void {
    for (const [id, { atMs }] of this.#ended) if (atMs <= this.#listSetOutMs) this.#ended.delete(id);
  }

  /** The operation that has ended on an instance since it was listed; undefined if the list is newer. */
  endedOn(instanceID: string): string | undefined {
    return this.#ended.get(instanceID)?.action;
  }

  /** The instances whose deletion has ended since they were listed. */
  deleted(): readonly string[] {
    return [...this.#ended].flatMap(([id, { action }]) => (action === "delete" ? [id] : []));
  }

  /** The scale set was written: earlier reads of it are outdated. */
  forgetSet(scaleSetID: string): void {
    this.set = undefined;
    this.instances.forget(scaleSetID);
  }
}

/** The in-memory state of all pools, so that a pass asks Azure only for what has changed or is outdated. */
export class Memory {
  readonly #clock: Clock;
  readonly #pools = new Map<string, PoolMemory>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(uid: string): PoolMemory {
    const known = this.#pools.get(uid);
    if (known) return known;
    const fresh = new PoolMemory(this.#clock);
    this.#pools.set(uid, fresh);
    return fresh;
  }

  forget(uid: string): void {
    this.#pools.delete(uid);
  }
}
