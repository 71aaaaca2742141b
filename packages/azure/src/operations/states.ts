/** Running operations in CAPZ's form, `status.longRunningOperationStates`: its tools and users look there. */
import { type Frozen, isJsonObject, type LongRunningOperationState, type Operation } from "@capstan/api";

/** The part of a status with running operations. */
interface RunningOperations {
  readonly operation?: Frozen<Operation>;
  readonly instanceOperations?: readonly Frozen<Operation>[];
  readonly longRunningOperationStates?: readonly Frozen<LongRunningOperationState>[];
}

interface OperationStates {
  longRunningOperationStates?: LongRunningOperationState[];
}

/** An operation in CAPZ's form; `data` is our record, as CAPZ's is that of its client. */
export function operationState(record: Frozen<Operation>): LongRunningOperationState {
  const parts = record.resourceID.split("/");
  return {
    type: record.verb,
    resourceGroup: parts[4] ?? "",
    serviceName: parts.at(-2) ?? "",
    name: parts.at(-1) ?? "",
    data: Buffer.from(JSON.stringify(record)).toString("base64"),
  };
}

/** The record of Capstan in a state. Only CAPZ's client could follow its records; a read of the resource shows as much. */
export function operationIn({ data }: Frozen<LongRunningOperationState>): Operation | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(data, "base64").toString());
    const isRecord =
      isJsonObject(value) && typeof value["resourceID"] === "string" && typeof value["verb"] === "string";
    return isRecord ? (value as unknown as Operation) : undefined;
  } catch {
    return undefined;
  }
}

/** A status whose states in CAPZ's form are those of its running operations. */
export function withOperationStates<Status extends RunningOperations>(
  status: Status,
): Omit<Status, "longRunningOperationStates"> & OperationStates {
  const { longRunningOperationStates: _, ...rest } = status;
  const { operation, instanceOperations = [] } = status;
  const records = [...(operation ? [operation] : []), ...instanceOperations];
  return records.length === 0 ? rest : { ...rest, longRunningOperationStates: records.map(operationState) };
}
