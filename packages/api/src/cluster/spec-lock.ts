import type { Frozen, ObjectMeta } from "../kubernetes/meta.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, forbidden } from "../values/field-error.ts";
import type { MachineTemplateSpec } from "./v1beta2/fields.ts";
import { hasUpdateFailed, isUpdatePending } from "./update-progress.ts";

interface LockedMachine {
  readonly metadata: Frozen<ObjectMeta>;
  readonly spec: Frozen<MachineTemplateSpec> & { readonly updaters?: readonly string[] };
  readonly status?: { readonly update?: { readonly state: string } };
}

/**
 * Refuses changes of what updaters work on, from the first call of an updater until the last one is done or one has
 * failed. Metadata, fields that follow the template, and the removal of an updater that is done are not refused.
 */
export function specLockErrors(machine: LockedMachine, old: LockedMachine): FieldError[] {
  const isCalled = old.status?.update !== undefined;
  const isLocked = isUpdatePending(old) && isCalled && !hasUpdateFailed(old);
  if (!isLocked) return [];
  const [after, before] = [fieldsOf(machine.spec), fieldsOf(old.spec)];
  const why = `cannot change while updater ${old.spec.updaters?.[0] ?? ""} updates the machine in place; wait until it is done, or delete the machine`;
  return [
    ...Object.keys(before)
      .filter((field) => !deepEqual(before[field], after[field]))
      .map((field) => forbidden(field, why)),
    ...(isSuffix(machine.spec.updaters ?? [], old.spec.updaters ?? [])
      ? []
      : [forbidden("spec.updaters", why)]),
  ];
}

function fieldsOf({
  version,
  failureDomain,
  bootstrap,
  infrastructureRef,
}: LockedMachine["spec"]): Readonly<Record<string, unknown>> {
  return {
    "spec.version": version,
    "spec.failureDomain": failureDomain,
    "spec.bootstrap.configRef": bootstrap.configRef,
    "spec.infrastructureRef": infrastructureRef,
  };
}

/** Updaters leave the list from its start. */
function isSuffix(shorter: readonly string[], longer: readonly string[]): boolean {
  const skipped = longer.length - shorter.length;
  return skipped >= 0 && shorter.every((name, at) => name === longer[skipped + at]);
}
