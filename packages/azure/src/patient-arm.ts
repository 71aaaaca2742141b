import type { Clock } from "@capstan/env";
import { type Arm, AzureError, REQUEST_BUDGET_USED_UP } from "./port.ts";

// A worker waits so long for one call; ten workers that wait for a budget of ten requests a second wait for a second each.
const LONGEST_WAIT_MS = 5_000;

/**
 * The same client, but a call that the budget holds back for a short time waits for its turn. Without that, a pass of several
 * calls repeats the first ones each time that a later one is held back, and these repetitions use up the budget.
 */
export function patientArm(arm: Arm, clock: Clock): Arm {
  const patiently = async <T>(call: () => Promise<T>): Promise<T> => {
    const untilMs = clock.monotonic() + LONGEST_WAIT_MS;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const waitMs = heldForMs(error);
        if (waitMs === undefined || clock.monotonic() + waitMs > untilMs) throw error;
        await clock.sleep(waitMs);
      }
    }
  };
  return {
    get: (...args) => patiently(() => arm.get(...args)),
    head: (...args) => patiently(() => arm.head(...args)),
    list: (...args) => patiently(() => arm.list(...args)),
    put: (...args) => patiently(() => arm.put(...args)),
    patch: (...args) => patiently(() => arm.patch(...args)),
    delete: (...args) => patiently(() => arm.delete(...args)),
    post: (...args) => patiently(() => arm.post(...args)),
    poll: (...args) => patiently(() => arm.poll(...args)),
  };
}

/** How long the budget holds a call back; undefined for an error of Azure, also for its own throttling. */
function heldForMs(error: unknown): number | undefined {
  return error instanceof AzureError && error.code === REQUEST_BUDGET_USED_UP
    ? error.retryAfterMs
    : undefined;
}
