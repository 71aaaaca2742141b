import type { Frozen } from "../kubernetes/meta.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, forbidden } from "../values/field-error.ts";

/** A field of CAPZ's that no controller acts on yet, or not with every value: without an error, it would have no effect. */
export interface UnsupportedField<Spec> {
  readonly field: string;
  /** Its value if it is not supported. */
  readonly read: (spec: Frozen<Spec>) => unknown;
  readonly instead: string;
}

/** Refuses fields without an effect. An object that was stored with them, by CAPZ for instance, can still be changed and deleted. */
export function unsupportedFieldErrors<Spec>(
  path: string,
  { spec, old }: { readonly spec: Frozen<Spec>; readonly old: Frozen<Spec> | undefined },
  fields: readonly UnsupportedField<Spec>[],
): readonly FieldError[] {
  return fields
    .filter(({ read }) => read(spec) !== undefined && !(old && deepEqual(read(spec), read(old))))
    .map(({ field, instead }) => forbidden(`${path}.${field}`, instead));
}

/** The fields of an AzureMachine that are not supported, or not with every value. */
interface MachineFields {
  identity?: string;
  vmExtensions?: object[];
  allocatePublicIP?: boolean;
  virtualMachineScaleSetID?: string;
}

const MACHINE_FIELDS: readonly UnsupportedField<MachineFields>[] = [
  {
    field: "identity",
    read: ({ identity }) => (identity === "SystemAssigned" ? identity : undefined),
    instead:
      "SystemAssigned needs a role assignment, which is not made yet; use UserAssigned with an identity that has its roles",
  },
  {
    field: "vmExtensions",
    read: ({ vmExtensions = [] }) => (vmExtensions.length > 0 ? vmExtensions : undefined),
    instead:
      "extensions are not supported yet; install what they install with the image or the bootstrap config",
  },
  {
    field: "allocatePublicIP",
    read: ({ allocatePublicIP }) => allocatePublicIP || undefined,
    instead: "public addresses are not supported yet; reach the machine through the network of the cluster",
  },
  {
    field: "virtualMachineScaleSetID",
    read: ({ virtualMachineScaleSetID }) => virtualMachineScaleSetID,
    instead: "machines in a scale set are not supported yet; leave it out",
  },
];

/** Refuses the fields of an AzureMachine, or of a template, that have no effect yet. */
export function unsupportedErrors(
  path: string,
  spec: Frozen<MachineFields>,
  old: Frozen<MachineFields> | undefined,
): readonly FieldError[] {
  return unsupportedFieldErrors(path, { spec, old }, MACHINE_FIELDS);
}
