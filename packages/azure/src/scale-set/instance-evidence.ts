import type { Evidence, PostEvidence } from "../operations/evidence.ts";
import type { PowerState, ScaleSetInstance } from "./instance.ts";
import type { InstanceAction } from "./instance-actions.ts";

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

/** The evidence of actions on instances of scale sets, from a list of the instances as they are now. */
export function instanceEvidence(
  instancesOf: (scaleSetID: string) => Promise<readonly ScaleSetInstance[]>,
): PostEvidence {
  return async ({ resourceID, action, instanceIDs = [], startedAt }) => {
    const instances = await instancesOf(resourceID);
    const byID = new Map(instances.map((instance) => [instance.instanceID, instance]));
    const sinceMs = Date.parse(startedAt);
    return instanceIDs.map((id) => evidenceOf(action as InstanceAction, byID.get(id), sinceMs));
  };
}

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
