import type { Target, WriteOptions } from "../registry/context.ts";
import type { Caller } from "../security/attributes.ts";

/** A request to act rather than to store an object. */
export interface Call {
  readonly target: Target;
  /** The object that the client sent; the server's own copy. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly options: WriteOptions;
  readonly caller: Caller;
}

/** The answer to a call without a result. */
export function success(code: number): object {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code };
}
