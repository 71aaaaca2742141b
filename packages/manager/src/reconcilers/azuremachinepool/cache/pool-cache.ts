import { PollBackoff } from "@capstan/azure";
import type { Clock } from "@capstan/env";
import type { CheckedConfig } from "../../../azure-cluster/cloud-config-secret.ts";
import { MachineIndex } from "../observation/machine-index.ts";
import { AzureReads } from "./azure-reads.ts";
import { Capacities } from "./capacities.ts";
import { PublishInterval } from "./publish-interval.ts";
import { RejectedWrites } from "./rejected-writes.ts";

/** The last plan of a pool. */
interface LastPlan {
  /** When it was made (monotonic). */
  readonly madeAtMs: number;
  readonly desiredStateKey: string;
  /** It had nothing to wait for, so that rare reads of Azure are enough. */
  readonly isSettled: boolean;
}

/** The validation of a spec. */
interface Validation {
  readonly generation: number;
  /** Empty if the spec has none. */
  readonly problem: string;
}

/** The in-memory state of one pool; a restarted process reads all of it again. Each part has one writer. */
export class PoolCache {
  readonly azure: AzureReads;
  /** When each operation may be polled again. */
  readonly polls: PollBackoff;
  readonly rejectedWrites = new RejectedWrites();
  readonly capacities = new Capacities();
  /** The machines with their instances and Nodes, kept from pass to pass. */
  readonly machineIndex = new MachineIndex();
  readonly publishInterval = new PublishInterval();
  /** Written by the phase `plan`. */
  lastPlan: LastPlan | undefined;
  /** Written by the phase `validate`. */
  validation: Validation | undefined;
  /** Written by the phase `prepare`. */
  cloudConfig: CheckedConfig | undefined;

  constructor(clock: Clock) {
    this.azure = new AzureReads(clock);
    this.polls = new PollBackoff(clock);
  }

  /** Whether the last plan had nothing to wait for. */
  get isSettled(): boolean {
    return this.lastPlan?.isSettled ?? false;
  }
}

/** The in-memory state of all pools. */
export class PoolCaches {
  readonly #clock: Clock;
  readonly #pools = new Map<string, PoolCache>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(uid: string): PoolCache {
    const known = this.#pools.get(uid);
    if (known) return known;
    const fresh = new PoolCache(this.#clock);
    this.#pools.set(uid, fresh);
    return fresh;
  }

  forget(uid: string): void {
    this.#pools.delete(uid);
  }
}
