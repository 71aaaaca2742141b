import { type AzureCluster, type Frozen, isJsonObject, type Operation } from "@capstan/api";
import type { Context } from "@capstan/runtime";
import { normalizedId, type Task } from "@capstan/azure";

type States = NonNullable<NonNullable<AzureCluster["status"]>["longRunningOperationStates"]>;

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
    for (const { data } of context.object.status?.longRunningOperationStates ?? []) {
      const record = recordIn(data);
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
    const states = [...this.#records.values()].map(stateOf);
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

function stateOf(record: Frozen<Operation>): States[number] {
  const parts = record.resourceID.split("/");
  return {
    type: record.verb,
    resourceGroup: parts[4] ?? "",
    serviceName: parts.at(-2) ?? "",
    name: parts.at(-1) ?? "",
    data: Buffer.from(JSON.stringify(record)).toString("base64"),
  };
}

/** Parses a record of Capstan. Only CAPZ's client could follow its records; a read of the resource shows as much. */
function recordIn(data: string): Operation | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(data, "base64").toString());
    const isRecord =
      isJsonObject(value) && typeof value["resourceID"] === "string" && typeof value["verb"] === "string";
    return isRecord ? (value as unknown as Operation) : undefined;
  } catch {
    return undefined;
  }
}
