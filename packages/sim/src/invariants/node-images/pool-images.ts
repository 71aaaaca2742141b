import { AzureMachinePool, type Frozen } from "@capstan/api";
import type { Truth } from "../../world/truth.ts";

const WITH_DONOR: ReadonlySet<string> = new Set([
  "Protecting",
  "Preparing",
  "Draining",
  "Stopping",
  "Snapshotting",
  "Restoring",
]);

/** Whether a renewal holds a donor. */
export function hasDonor({ status }: Frozen<AzureMachinePool>): boolean {
  return WITH_DONOR.has(status?.nodePrototyping?.phase ?? "Idle");
}

/** All pools in the management cluster. */
export function poolsIn(truth: Truth): readonly Frozen<AzureMachinePool>[] {
  const { group, plural } = AzureMachinePool;
  return [
    ...truth.management.list({ resource: `${group}/${plural}` }),
  ] as unknown as Frozen<AzureMachinePool>[];
}

/** The part of the name of a gallery by which our images are recognized. */
export const PROTOTYPES = "/galleries/prototypes_";
