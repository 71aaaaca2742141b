import type { Arm } from "./port.ts";

/** A client for Azure that gets its credentials when they are first needed. */
export interface LazyArm {
  readonly arm: Arm;
  /** Gets the credentials now, so that a failure is reported before anything else is tried. */
  readonly connect: () => Promise<void>;
}

/** Makes a client from a function that connects; it connects once. */
export function lazyArm(connectOnce: () => Promise<Arm>): LazyArm {
  let connected: Promise<Arm> | undefined;
  const connection = (): Promise<Arm> => (connected ??= connectOnce());
  return {
    connect: async () => void (await connection()),
    arm: {
      get: async (...args) => (await connection()).get(...args),
      head: async (...args) => (await connection()).head(...args),
      list: async (...args) => (await connection()).list(...args),
      put: async (...args) => (await connection()).put(...args),
      patch: async (...args) => (await connection()).patch(...args),
      delete: async (...args) => (await connection()).delete(...args),
      post: async (...args) => (await connection()).post(...args),
      poll: async (...args) => (await connection()).poll(...args),
    },
  };
}
