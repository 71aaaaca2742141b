import { isJsonObject } from "@capstan/api";
import type { OperationStatus } from "../port.ts";
import { azureErrorOf, parseErrorBody } from "./errors.ts";
import type { WireAnswer } from "./exchange.ts";
import { parseObject } from "./json.ts";

type Answer = WireAnswer & { readonly retryAfterMs?: number };

/** The URL of the operation that a write started; undefined when the write is done. */
export function operationUrlOf({ status, headers }: WireAnswer): string | undefined {
  const own = headers["azure-asyncoperation"];
  if (own !== undefined) return own;
  // With another status, the header is the URL of the resource.
  return status === 202 ? headers["location"] : undefined;
}

const RUNNING: ReadonlySet<string> = new Set([
  "creating",
  "updating",
  "deleting",
  "inprogress",
  "accepted",
  "running",
]);

/** Parses the answer to a poll, in either format. */
export function operationStatusOf(answer: Answer): OperationStatus {
  const running: OperationStatus = {
    state: "InProgress",
    ...(answer.retryAfterMs !== undefined && { retryAfterMs: answer.retryAfterMs }),
  };
  if (answer.status === 202) return running;
  const body = parseObject(answer.text);
  const status = stateOf(body);
  if (status === undefined || status === "succeeded") return { state: "Succeeded", ...(body && { body }) };
  if (status === "failed") return { state: "Failed", error: azureErrorOf(parseFailure(body)) };
  if (status === "canceled" || status === "cancelled") {
    return { state: "Canceled", error: azureErrorOf(parseFailure(body)) };
  }
  return running;
}

/** The state in the body of an operation; if a `Location` returns the resource, its provisioning state. */
function stateOf(body: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const status = body?.["status"];
  if (typeof status === "string") return status.toLowerCase();
  const properties = body?.["properties"];
  const state = isJsonObject(properties) ? properties["provisioningState"] : undefined;
  return typeof state === "string" && RUNNING.has(state.toLowerCase()) ? state.toLowerCase() : undefined;
}

function parseFailure(body: unknown): ReturnType<typeof parseErrorBody> {
  const error = isJsonObject(body) ? body["error"] : undefined;
  if (isJsonObject(error)) return parseErrorBody({ error }, 0);
  return { code: "OperationFailed", message: "the operation failed and Azure does not say why", details: [] };
}
