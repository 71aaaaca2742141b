import type { Frozen, Operation } from "@capstan/api";
import type { Clock } from "@capstan/env";
import { PollBackoff } from "../../azure/operations/poll-backoff.ts";
import type { Arm } from "../../azure/port.ts";
import type { ScaleSetInstance } from "../../azure/scale-set/instance.ts";
import { ScaleSetInstances } from "../../azure/scale-set/instances.ts";
import { MachineIndex } from "./machine-index.ts";
import type { SeenSet } from "./scale-set-body.ts";

/** Why Azure has refused a write of the scale set. */
interface RejectedWrite {
  readonly error: Error;
  readonly retryAtMs: number;
  /** What was wanted. */
  readonly desiredStateKey: string;
  /** Azure counts too many models: the size of the set can still be written. */
  readonly isOfModels: boolean;
}

/** What this process knows of one pool; everything in it can be read again. */
export class PoolMemory {
  readonly instances: ScaleSetInstances;
  /** Of operations, by their addresses. */
  readonly pollBackoff: PollBackoff;
  /** The scale set as it was last read; undefined inside when there was none. */
  set: { readonly seen: SeenSet | undefined; readonly atMs: number } | undefined;
  /** The last list, and the wall clock when it set out. */
  listed: { readonly instances: readonly ScaleSetInstance[]; readonly atMs: number } | undefined;
  /** Whether the last pass left nothing to wait for, so that a look now and then will do. */
  isSettled = false;
  /** Whether a Node of the pool has changed, or something has ended, since the last list. */
  isDisturbed = false;
  /** Whether an autoscaler has resized the set, and Azure was last seen to be still at it. */
  isResized = false;
  /** When, monotonic, and for which wish it was last decided what to do. */
  decided: { readonly atMs: number; readonly desiredStateKey: string } | undefined;
  /** The capacities that writes which are under way, or have failed, may leave the scale set at. */
  capacities: number[] = [];
  /** When, monotonic, the numbers of the pool were told last. */
  publishedAtMs = -Infinity;
  /** What the configuration of the cloud provider was last made from, and when, monotonic, that was looked at. */
  cloudConfig: { readonly source: string; readonly atMs: number } | undefined;
  /** What is wrong with the spec of this generation; empty when nothing is. */
  checked: { readonly generation: number; readonly problem: string } | undefined;
  /** What is known of the machines. */
  readonly machineIndex = new MachineIndex();
  /** Why Azure refused the last write of the scale set, until one is accepted. */
  refusal: RejectedWrite | undefined;
  readonly #clock: Clock;
  /** What has ended on instances, and when, monotonic: a list that set out before does not show it. */
  readonly #ended = new Map<string, { readonly action: string | undefined; readonly atMs: number }>();
  #listSetOutMs = -Infinity;
  #arm: Arm | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.pollBackoff = new PollBackoff(clock);
    const list: Arm["list"] = (path, options) => {
      if (!this.#arm) throw new Error("instances are listed before anybody has logged in");
      this.#listSetOutMs = clock.monotonic();
      return this.#arm.list(path, options);
    };
    this.instances = new ScaleSetInstances({ list }, clock);
  }

  /** From now on lists are made with these rights. */
  use(arm: Arm): void {
    this.#arm = arm;
  }

  /** Azure takes the instances that it agrees to delete off the capacity of their set at once. */
  shrink(by: number): void {
    const { seen, atMs = 0 } = this.set ?? {};
    if (seen) this.set = { seen: { ...seen, capacity: Math.max(0, seen.capacity - by) }, atMs };
  }

  /** An operation has ended; what it did to its instances shows in lists that set out from now on. */
  noteEnd({ url = "", action, instanceIDs = [] }: Frozen<Operation>): void {
    this.pollBackoff.end(url);
    const atMs = this.#clock.monotonic();
    for (const id of instanceIDs) this.#ended.set(id, { action, atMs });
  }

  /** A list has come back: from now on it tells what has become of instances. */
  noteList(): void {
    for (const [id, { atMs }] of this.#ended) if (atMs <= this.#listSetOutMs) this.#ended.delete(id);
  }

  /** What has ended on an instance since it was listed; undefined when the list is the newest news of it. */
  endedOn(instanceID: string): string | undefined {
    return this.#ended.get(instanceID)?.action;
  }

  /** The instances whose deletion has ended since they were listed. */
  deleted(): readonly string[] {
    return [...this.#ended].flatMap(([id, { action }]) => (action === "delete" ? [id] : []));
  }

  /** Something was done to the scale set: what was seen before it does not count any more. */
  forgetSet(scaleSetID: string): void {
    this.set = undefined;
    this.instances.forget(scaleSetID);
  }
}

/** What this process knows of all pools, so that a pass asks Azure only what has changed or is old. */
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
