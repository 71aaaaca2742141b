import type { Frozen, ObjectMeta } from "@capstan/api";
import { again, FIELD_CONTESTED, next, type Outcome } from "@capstan/runtime";
import { propagatedMetadata } from "../../machines/configuration.ts";
import type { MachineOwner } from "../../machines/owner.ts";
import {
  CONTEST_MS,
  followers,
  isEmpty,
  propagateToClones,
  propagateToMachine,
  unlessContested,
} from "../../machines/propagate.ts";
import type { Scope } from "./scope.ts";

/**
 * Gives machines and their clones the fields of the template that need no new machine. Clones come first: a Machine has the
 * labels and annotations of the last template until it is written, and so tells which ones its clones must lose.
 */
export async function propagateFields(scope: Scope): Promise<Outcome> {
  const { controlPlane, owner } = scope;
  const isChanged = controlPlane.status?.observedGeneration !== controlPlane.metadata.generation;
  for (const machine of followers(scope)) {
    if (isChanged || !isEmpty(owner.metadata))
      await unlessContested(scope, () =>
        propagateToClones(
          scope,
          machine,
          (clone) => isChanged && sharesOthers(owner, machine.metadata, clone),
        ),
      );
    await unlessContested(scope, () => propagateToMachine(scope, machine, isChanged));
  }
  return scope.contest ? again(scope.contest.retryAfterMs ?? CONTEST_MS, FIELD_CONTESTED) : next;
}

/** Whether a machine and its clone have the same label or annotation, and the template does not have it. */
function sharesOthers(owner: MachineOwner, machine: Frozen<ObjectMeta>, clone: Frozen<ObjectMeta>): boolean {
  const desired = propagatedMetadata(owner);
  return (["labels", "annotations"] as const).some((part) =>
    Object.entries(machine[part] ?? {}).some(
      ([name, value]) => clone[part]?.[name] === value && desired[part][name] === undefined,
    ),
  );
}
