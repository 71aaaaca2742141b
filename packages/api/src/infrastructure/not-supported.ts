import type { Frozen } from "../kubernetes/meta.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, forbidden } from "../values/field-error.ts";

/** The fields of an AzureMachine that are not supported, or not with every value. */
interface MachineFields {
  identity?: string;
  vmExtensions?: object[];
  allocatePublicIP?: boolean;
  virtualMachineScaleSetID?: string;
}

interface Unsupported {
  readonly field: keyof MachineFields;
  readonly isSet: (spec: Frozen<MachineFields>) => boolean;
  readonly instead: string;
}

/** Fields of CAPZ's AzureMachine that no controller acts on yet: without an error, they would have no effect. */
const UNSUPPORTED: readonly Unsupported[] = [
  {
    field: "identity",
    isSet: ({ identity }) => identity === "SystemAssigned",
    instead:
      "SystemAssigned needs a role assignment, which is not made yet; use UserAssigned with an identity that has its roles",
  },
  {
    field: "vmExtensions",
    isSet: ({ vmExtensions = [] }) => vmExtensions.length > 0,
    instead:
      "extensions are not supported yet; install what they install with the image or the bootstrap config",
  },
  {
    field: "allocatePublicIP",
    isSet: ({ allocatePublicIP }) => allocatePublicIP === true,
    instead: "public addresses are not supported yet; reach the machine through the network of the cluster",
  },
  {
    field: "virtualMachineScaleSetID",
    isSet: ({ virtualMachineScaleSetID }) => virtualMachineScaleSetID !== undefined,
    instead: "machines in a scale set are not supported yet; leave it out",
  },
];

/** Refuses fields without an effect. An object that was stored with them, by CAPZ for instance, can still be changed and deleted. */
export function unsupportedErrors(
  path: string,
  spec: Frozen<MachineFields>,
  old: Frozen<MachineFields> | undefined,
): readonly FieldError[] {
  return UNSUPPORTED.filter(
    ({ field, isSet }) => isSet(spec) && !(old && deepEqual(spec[field], old[field])),
  ).map(({ field, instead }) => forbidden(`${path}.${field}`, instead));
}
