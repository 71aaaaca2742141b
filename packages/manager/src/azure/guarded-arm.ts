import type { Arm } from "./port.ts";

/** The same resource manager, which checks before each write that this process still leads. */
export function guardArm(arm: Arm, assertMayWrite: () => void): Arm {
  return {
    get: (path, options) => arm.get(path, options),
    head: (path, options) => arm.head(path, options),
    list: (path, options) => arm.list(path, options),
    poll: (operationUrl, options) => arm.poll(operationUrl, options),
    put: async (path, body, options) => {
      assertMayWrite();
      return arm.put(path, body, guarded(options, assertMayWrite));
    },
    patch: async (path, body, options) => {
      assertMayWrite();
      return arm.patch(path, body, guarded(options, assertMayWrite));
    },
    delete: async (path, options) => {
      assertMayWrite();
      return arm.delete(path, guarded(options, assertMayWrite));
    },
    post: async (path, body, options) => {
      assertMayWrite();
      return arm.post(path, body, guarded(options, assertMayWrite));
    },
  };
}

/** Between the check and the request, a token may be fetched and an intent written, so it is checked again after that. */
function guarded<O extends { readonly beforeSending?: () => Promise<void> }>(
  options: O | undefined,
  assertMayWrite: () => void,
): O {
  const beforeSending = async (): Promise<void> => {
    await options?.beforeSending?.();
    assertMayWrite();
  };
  return { ...options, beforeSending } as O;
}
