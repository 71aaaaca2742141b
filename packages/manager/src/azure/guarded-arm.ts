import type { Arm } from "./port.ts";

/** The same resource manager, which asks right before each write whether we still may. */
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

/** Between the question and the request a token may be fetched and an intent be written: it is asked again after that. */
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
