import type { Logger } from "@capstan/runtime";
import type { Arm } from "./port.ts";

/** What is done before each write. */
export interface WriteGuard {
  /** Throws when this process must not write any more. */
  readonly assertMayWrite: () => void;
  readonly log: Logger;
}

/** The same client, which asks right before each write whether this process still leads, and logs the write. */
export function guardArm(arm: Arm, guard: WriteGuard): Arm {
  return {
    get: (path, options) => arm.get(path, options),
    head: (path, options) => arm.head(path, options),
    list: (path, options) => arm.list(path, options),
    poll: (operationUrl, options) => arm.poll(operationUrl, options),
    put: async (path, body, options) => {
      guard.assertMayWrite();
      return arm.put(path, body, guarded(options, guard, { verb: "PUT", path }));
    },
    patch: async (path, body, options) => {
      guard.assertMayWrite();
      return arm.patch(path, body, guarded(options, guard, { verb: "PATCH", path }));
    },
    delete: async (path, options) => {
      guard.assertMayWrite();
      return arm.delete(path, guarded(options, guard, { verb: "DELETE", path }));
    },
    post: async (path, body, options) => {
      guard.assertMayWrite();
      return arm.post(path, body, guarded(options, guard, { verb: "POST", path }));
    },
  };
}

/** A token may be fetched and an intent be written after the first check: the second one is right before the request. */
function guarded<O extends { readonly beforeSending?: () => Promise<void> }>(
  options: O | undefined,
  { assertMayWrite, log }: WriteGuard,
  write: { readonly verb: string; readonly path: string },
): O {
  const beforeSending = async (): Promise<void> => {
    await options?.beforeSending?.();
    assertMayWrite();
    log.info("Writing to Azure", write);
  };
  return { ...options, beforeSending } as O;
}
