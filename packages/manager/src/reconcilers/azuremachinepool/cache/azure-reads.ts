import type { Frozen, Operation } from "@capstan/api";
import { type Arm, type ScaleSetInstance, ScaleSetInstances } from "@capstan/azure";
import type { Clock } from "@capstan/env";
import type { ObservedSet } from "../model/body.ts";

/**
 * The last reads of a scale set, so that a pass asks Azure only for what has changed or is outdated. `observation/read-azure.ts`
 * records reads; writes of Azure and changes of Nodes say here what is outdated.
 */
export class AzureReads {
  /** The lists of instances, shared by all callers. */
  readonly instances: ScaleSetInstances;
  readonly #clock: Clock;
  /** Operations that have ended, by instance, and when (monotonic): a list requested earlier does not show them. */
  readonly #ended = new Map<string, { readonly action: string | undefined; readonly atMs: number }>();
  #set: { readonly observed: ObservedSet | undefined; readonly atMs: number } | undefined;
  #listed: { readonly instances: readonly ScaleSetInstance[]; readonly atMs: number } | undefined;
  #isDisturbed = false;
  #listRequestedMs = -Infinity;
  #arm: Arm | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    const list: Arm["list"] = (path, options) => {
      if (!this.#arm) throw new Error("instances are listed before there is a client for Azure");
      this.#listRequestedMs = clock.monotonic();
      return this.#arm.list(path, options);
    };
    this.instances = new ScaleSetInstances({ list }, clock);
  }

  /** Sets the client for lists. */
  use(arm: Arm): void {
    this.#arm = arm;
  }

  /** The scale set as it was last read, and when (monotonic); undefined inside when there was none. */
  get set(): { readonly observed: ObservedSet | undefined; readonly atMs: number } | undefined {
    return this.#set;
  }

  recordSet(observed: ObservedSet | undefined, atMs: number): void {
    this.#set = { observed, atMs };
  }

  /** The last list, and the wall-clock time when it was requested. */
  get listed(): { readonly instances: readonly ScaleSetInstance[]; readonly atMs: number } | undefined {
    return this.#listed;
  }

  /** Records a list, and forgets the operations whose effect it shows. */
  recordList(instances: readonly ScaleSetInstance[], atMs: number): void {
    this.#listed = { instances, atMs };
    this.#isDisturbed = false;
    for (const [id, ended] of this.#ended) if (ended.atMs <= this.#listRequestedMs) this.#ended.delete(id);
  }

  /** Records that there is no scale set, so no instances either. */
  recordNoInstances(atMs: number): void {
    this.#listed = { instances: [], atMs };
  }

  /** Whether a Node of the pool has changed, or an operation has ended, since the last list. */
  get isDisturbed(): boolean {
    return this.#isDisturbed;
  }

  disturb(): void {
    this.#isDisturbed = true;
  }

  /** Azure lowers the capacity as soon as it accepts the deletion of instances. */
  shrink(by: number): void {
    const { observed, atMs = 0 } = this.#set ?? {};
    if (!observed) return;
    this.#set = { observed: { ...observed, capacity: Math.max(0, observed.capacity - by) }, atMs };
  }

  /** An operation has ended; lists requested from now on show its effect. */
  noteEnd({ action, instanceIDs = [] }: Frozen<Operation>): void {
    const atMs = this.#clock.monotonic();
    for (const id of instanceIDs) this.#ended.set(id, { action, atMs });
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
    this.#set = undefined;
    this.instances.forget(scaleSetID);
  }
}
