import { type AzureCluster, type Frozen, isJsonObject, type Operation } from "@capstan/api";
import type { Context } from "@capstan/runtime";
import type { Task } from "../../azure/operations/operations.ts";
import { normalizedId } from "../../azure/normalized-id.ts";

type States = NonNullable<NonNullable<AzureCluster["status"]>["longRunningOperationStates"]>;

/**
 * The Azure operations of a cluster, several at a time, in `status.longRunningOperationStates`.
 *
 * The intents of one wave share one write, which is durable before any of them is sent. Addresses and ends wait for
 * the patch at the end of the pass: lost in a crash, an address is made up for by a look at the resource, and an end
 * by asking for it once more.
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

  /** What is under way. */
  records(): readonly Frozen<Operation>[] {
    return [...this.#records.values()];
  }

  /** Folded ids of what is under way. */
  ids(): ReadonlySet<string> {
    return new Set(this.#records.keys());
  }

  /** Keeps the record of one resource. */
  persistOperation(resourceID: string): Task["persist"] {
    const id = normalizedId(resourceID);
    return async (record) => {
      if (record) this.#records.set(id, record);
      else this.#records.delete(id);
      if (record && record.url === undefined) await this.#written();
    };
  }

  /** Puts the records into the status of the object. */
  show(): void {
    const { object } = this.#context;
    const states = [...this.#records.values()].map(stateOf);
    const { longRunningOperationStates: _, ...rest } = object.status ?? {};
    object.status = states.length === 0 ? rest : { ...rest, longRunningOperationStates: states };
  }

  /** A moment is given to the other intents of the wave. */
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

/** Reads a record of ours. What CAPZ left there only its own client could follow; the resource itself tells as much. */
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
