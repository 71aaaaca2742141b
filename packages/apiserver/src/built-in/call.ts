import type { Target, WriteOptions } from "../registry/context.ts";
import type { Caller } from "../security/attributes.ts";

/** A request to do something rather than to store something. */
export interface Call {
  readonly target: Target;
  /** The object that was sent; the server's own copy. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly options: WriteOptions;
  readonly caller: Caller;
}

/** The answer to a call that has nothing to tell. */
export function success(code: number): object {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code };
}
