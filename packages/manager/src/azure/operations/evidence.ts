import type { PowerState, ScaleSetInstance } from "../scale-set/instance.ts";
import type { InstanceAction } from "./wanted.ts";

/** Whether an instance shows that an action reached it. */
export type Evidence = "none" | "running" | "done";

// Azure's clock and ours differ a little.
const CLOCK_SKEW_MS = 5000;

type Reader = (instance: ScaleSetInstance, sinceMs: number) => Evidence;

/** Where each action shows. */
const READERS: Readonly<Record<InstanceAction, Reader>> = {
  delete: ({ provisioningState }) => (provisioningState === "Deleting" ? "running" : "none"),
  manualupgrade: (instance) =>
    isUpdating(instance) ? "running" : instance.isLatestModel === true ? "done" : "none",
  reimage: provisionedSince,
  restart: provisionedSince,
  start: powered({ during: ["starting"], after: ["running"] }),
  poweroff: powered({ during: ["stopping"], after: ["stopped", "deallocating", "deallocated"] }),
  deallocate: powered({ during: ["deallocating"], after: ["deallocated"] }),
};

/** What the state of an instance says about an action that was perhaps asked for at `sinceMs`. */
export function evidenceOf(
  action: InstanceAction,
  instance: ScaleSetInstance | undefined,
  sinceMs: number,
): Evidence {
  // What is gone can have nothing more done to it.
  return instance ? READERS[action](instance, sinceMs) : "done";
}

function isUpdating({ provisioningState }: ScaleSetInstance): boolean {
  return provisioningState === "Updating";
}

function provisionedSince(instance: ScaleSetInstance, sinceMs: number): Evidence {
  if (isUpdating(instance)) return "running";
  return (instance.provisionedAtMs ?? 0) >= sinceMs - CLOCK_SKEW_MS ? "done" : "none";
}

function powered({
  during,
  after,
}: {
  readonly during: readonly PowerState[];
  readonly after: readonly PowerState[];
}): Reader {
  return ({ powerState }) => {
    if (during.includes(powerState)) return "running";
    return after.includes(powerState) ? "done" : "none";
  };
}
