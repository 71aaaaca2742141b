import type { AzureCluster, Frozen, Operation } from "@capstan/api";
import type { Context } from "@capstan/runtime";
import { normalizedId, operationIn, operationState, type Task } from "@capstan/azure";

/**
 * The Azure operations of a cluster, several at a time, in `status.longRunningOperationStates`.
 *
 * The intents of one wave share one write, which is durable before any of the requests is sent. Poll URLs and results are
 * written with the patch at the end of the pass: if a crash loses a URL, a read of the resource replaces it; if it loses
 * a result, the operation is polled again.
 */
export class Ledger {
  readonly #context: Context<AzureCluster>;
  readonly #records = new Map<string, Frozen<Operation>>();
  #flush: Promise<void> | undefined;

  constructor(context: Context<AzureCluster>) {
    this.#context = context;
    for (const state of context.object.status?.longRunningOperationStates ?? []) {
      const record = operationIn(state);
      if (record) this.#records.set(normalizedId(record.resourceID), record);
    }
  }

  /** The running operations. */
  records(): readonly Frozen<Operation>[] {
    return [...this.#records.values()];
  }

  /** Normalized ids of the resources with a running operation. */
  ids(): ReadonlySet<string> {
    return new Set(this.#records.keys());
  }

  /** Persists the record of one resource's operation. */
  persistOperation(resourceID: string): Task["persist"] {
    const id = normalizedId(resourceID);
    return async (record) => {
      if (record) this.#records.set(id, record);
      else this.#records.delete(id);
      if (record && record.url === undefined) await this.#written();
    };
  }

  /** Writes the records to the status of the object. */
  show(): void {
    const { object } = this.#context;
    const states = [...this.#records.values()].map(operationState);
    const { longRunningOperationStates: _, ...rest } = object.status ?? {};
    object.status = states.length === 0 ? rest : { ...rest, longRunningOperationStates: states };
  }

  /** Waits a moment, so that the other intents of the wave join the same write. */
  async #written(): Promise<void> {
    this.#flush ??= this.#context.env.clock.sleep(0).then(async () => {
      this.#flush = undefined;
      this.show();
      await this.#context.persistStatus();
    });
    return this.#flush;
  }
}
