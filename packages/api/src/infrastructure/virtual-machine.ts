/** The virtual machine: what AzureMachines and the machines of a pool have in common. */
import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, type TObject, boolean, object, optional, string } from "../schema/schema.ts";
import type { FieldError } from "../values/field-error.ts";
import { Diagnostics, diagnosticsErrors, withDefaultDiagnostics } from "./diagnostics.ts";
import { DataDisks, OSDisk, defaultDataDisks, dataDisksErrors, osDiskErrors } from "./disks.ts";
import { type Image, imageErrors } from "./image.ts";
import { defaultNetworkInterfaces, networkFields, networkInterfaceErrors } from "./network-interface.ts";
import { SecurityProfile, securityProfileErrors } from "./security-profile.ts";
import { SpotVMOptions, defaultEvictionPolicy, spotErrors } from "./spot.ts";
import { sshPublicKeyErrors } from "./ssh-key.ts";
import { VMExtensions } from "./vm-extension.ts";

/** The fields of a virtual machine, except the image. */
export const virtualMachineFields = {
  vmSize: string("The size of the VM, such as Standard_D4s_v5."),
  osDisk: OSDisk,
  dataDisks: optional(DataDisks),
  sshPublicKey: optional(
    string(
      "The SSH key for logging in, as base64 of an authorized_keys line. Without one, logging in is impossible.",
    ),
  ),
  ...networkFields,
  diagnostics: optional(Diagnostics),
  securityProfile: optional(SecurityProfile),
  additionalCapabilities: optional(
    object("Rare capabilities of the VM.", {
      ultraSSDEnabled: optional(boolean("Whether ultra disks can be attached.")),
    }),
  ),
  spotVMOptions: optional(SpotVMOptions),
  vmExtensions: optional(VMExtensions),
  disableVMBootstrapExtension: optional(
    boolean(
      "Whether the extension that reports on the bootstrap is omitted, which it always is. Immutable once set.",
    ),
  ),
};

type VirtualMachine = Static<TObject<typeof virtualMachineFields>> & { image?: Image };

/** Sets the defaults of a virtual machine. */
export function defaultVirtualMachine(machine: VirtualMachine): void {
  defaultNetworkInterfaces(machine);
  defaultDataDisks(machine.dataDisks ?? []);
  defaultEvictionPolicy(machine.spotVMOptions, machine.osDisk);
  machine.diagnostics = withDefaultDiagnostics(machine.diagnostics);
}

/** Validates a virtual machine. */
export function virtualMachineErrors(path: string, machine: Frozen<VirtualMachine>): readonly FieldError[] {
  const { image, osDisk, dataDisks = [] } = machine;
  return [
    ...(image ? imageErrors(`${path}.image`, image) : []),
    ...osDiskErrors(`${path}.osDisk`, osDisk),
    ...dataDisksErrors(`${path}.dataDisks`, dataDisks),
    ...sshPublicKeyErrors(`${path}.sshPublicKey`, machine.sshPublicKey),
    ...networkInterfaceErrors(path, machine),
    ...diagnosticsErrors(`${path}.diagnostics`, machine.diagnostics),
    ...securityProfileErrors(`${path}.securityProfile`, machine.securityProfile, osDisk),
    ...spotErrors(`${path}.spotVMOptions`, machine.spotVMOptions, osDisk),
  ];
}
