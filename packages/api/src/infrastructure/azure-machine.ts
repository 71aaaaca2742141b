import { UPDATE_IN_PROGRESS_ANNOTATION } from "../cluster/well-known.ts";
import { type AdmissionRequest, type CustomObject, type ObjectOf, defineKind } from "../kind.ts";
import { Conditions } from "../kubernetes/condition.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, boolean, listOf, mapOf, object, optional, string } from "../schema/schema.ts";
import { armIdProblem, hasArmType, parseArmId } from "../values/arm-id.ts";
import { type FieldError, errorIf, forbidden, invalid } from "../values/field-error.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "./group.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN, readyColumn } from "../printer-columns.ts";
import { imageFields, oneImageSource } from "./image.ts";
import { Initialization } from "./initialization.ts";
import { unsupportedErrors } from "./not-supported.ts";
import { type ImmutableField, immutableFieldErrors } from "./immutable.ts";
import { LongRunningOperationStates, Operation } from "./operation.ts";
import { defaultVirtualMachine, virtualMachineErrors, virtualMachineFields } from "./virtual-machine.ts";
import { defaultIdentity, identityFields, identityErrors } from "./vm-identity.ts";

/** The fields of a virtual machine, also inside a template. */
export const azureMachineFields = {
  ...virtualMachineFields,
  image: optional(
    object("The image it boots from; without it, the public one for the Kubernetes version.", imageFields, {
      rules: [oneImageSource],
    }),
  ),
  ...identityFields,
  additionalTags: optional(mapOf("Azure tags for all resources of the machine.", string("A value."))),
  allocatePublicIP: optional(boolean("Whether the machine gets a public address.")),
  enableIPForwarding: optional(boolean("Whether it forwards traffic for other addresses.")),
  dnsServers: optional(listOf("The DNS servers that it uses.", string("An address."))),
  disableExtensionOperations: optional(boolean("Whether extensions cannot be installed.")),
  capacityReservationGroupID: optional(string("The ARM id of a capacity reservation group.")),
  virtualMachineScaleSetID: optional(string("The ARM id of the Flexible scale set it belongs to.")),
  failureDomain: optional(string("The zone it is placed in.")),
  providerID: optional(string("The provider id of the VM. Set by the controller.")),
};

/** The spec of a virtual machine. */
export const AzureMachineSpec = object("The desired state of the machine.", azureMachineFields, {
  preserveUnknown: true,
});

/** The spec of a virtual machine. */
export type AzureMachineSpec = Static<typeof AzureMachineSpec>;

const Status = object(
  "The observed state of the machine.",
  {
    ready: optional(boolean("Whether the VM exists.")),
    initialization: optional(Initialization),
    failureDomain: optional(string("The zone that the VM runs in; unset outside zones.")),
    vmState: optional(string("The provisioning state of the VM in Azure.")),
    addresses: optional(
      listOf(
        "The addresses of the machine.",
        object("An address.", { type: string("Its kind."), address: string("The address.") }),
      ),
    ),
    failureReason: optional(string("Why the machine failed, in CamelCase.")),
    failureMessage: optional(string("Why the machine failed.")),
    conditions: optional(Conditions),
    longRunningOperationStates: optional(LongRunningOperationStates),
    operation: optional(Operation),
  },
  { preserveUnknown: true },
);

type Machine = CustomObject<AzureMachineSpec, Static<typeof Status>>;

/** One virtual machine: the infrastructure of a Machine of Cluster API. */
export const AzureMachine = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureMachine",
  plural: "azuremachines",
  description: "One Azure virtual machine.",
  spec: AzureMachineSpec,
  status: Status,
  columns: [
    { ...CLUSTER_LABEL_COLUMN, priority: 1 },
    readyColumn("Ready"),
    readyColumn("Severity"),
    readyColumn("Reason"),
    readyColumn("Message", 1),
    { name: "State", type: "string", jsonPath: ".status.vmState" },
    {
      name: "Machine",
      type: "string",
      jsonPath: '.metadata.ownerReferences[?(@.kind=="Machine")].name',
      priority: 1,
    },
    { name: "VM ID", type: "string", jsonPath: ".spec.providerID", priority: 1 },
    { name: "VM Size", type: "string", jsonPath: ".spec.vmSize", priority: 1 },
    AGE_COLUMN,
  ],
  crdLabels: AZURE_PROVIDER_LABELS,
  applyDefaults: ({ spec }) => defaultAzureMachineSpec(spec),
  validate,
});

/** One virtual machine. */
export type AzureMachine = ObjectOf<typeof AzureMachine>;

/** Sets the defaults of a machine. */
export function defaultAzureMachineSpec(spec: AzureMachineSpec): void {
  defaultIdentity(spec);
  defaultVirtualMachine(spec);
}

const FIXED = [
  "image",
  "identity",
  "systemAssignedIdentityRole",
  "userAssignedIdentities",
  "roleAssignmentName",
  "osDisk",
  "dataDisks",
  "sshPublicKey",
  "allocatePublicIP",
  "enableIPForwarding",
  "networkInterfaces",
  "spotVMOptions",
  "securityProfile",
  "diagnostics",
  "capacityReservationGroupID",
  "virtualMachineScaleSetID",
  "disableExtensionOperations",
] as const;

const IMMUTABLE: readonly ImmutableField<Frozen<Machine>>[] = [
  ...FIXED.map((field) => ({
    path: `spec.${field}`,
    read: ({ spec }: Frozen<Machine>) => spec[field],
    instead: "a VM is replaced, not changed; change the AzureMachineTemplate",
  })),
  {
    path: "spec.disableVMBootstrapExtension",
    read: ({ spec }) => spec.disableVMBootstrapExtension,
    instead: "a VM is replaced, not changed; change the AzureMachineTemplate",
    maySetLater: true,
  },
];

function validate(request: AdmissionRequest<Machine>): readonly FieldError[] {
  const { object: machine, old } = request;
  return [
    ...azureMachineSpecErrors("spec", machine.spec),
    ...unsupportedErrors("spec", machine.spec, old?.spec),
    ...(isUpdate(request) ? [] : immutableFieldErrors(machine, old, IMMUTABLE)),
  ];
}

/** The field managers by which owners of machines apply templates to them, in Cluster API and here. */
const OWNER_MANAGERS: readonly string[] = ["capi-machineset", "capi-kubeadmcontrolplane"];

/**
 * While an updater changes the virtual machine in place, the owner of its Machine writes the new template to the spec. Any
 * client can set the annotation, so it counts only for the manager, for the owners' field managers (which the core of Cluster
 * API uses, as a user of its own), and for a dry run, by which `capstan plan` asks what changes. Before Cluster API's owners
 * set the annotation, they ask by a dry run.
 */
function isUpdate({
  object: { metadata },
  isByManager = false,
  isDryRun = false,
  fieldManager = "",
}: AdmissionRequest<Machine>): boolean {
  const isSigned = metadata.annotations?.[UPDATE_IN_PROGRESS_ANNOTATION] !== undefined;
  const isByOwner = OWNER_MANAGERS.includes(fieldManager);
  return isSigned ? isByManager || isDryRun || isByOwner : isDryRun && isByOwner;
}

/** Validates a machine beyond its schema. */
export function azureMachineSpecErrors(path: string, spec: Frozen<AzureMachineSpec>): readonly FieldError[] {
  return [
    ...virtualMachineErrors(path, spec),
    ...identityErrors(path, spec, undefined),
    ...idErrors(path, spec),
    ...errorIf(
      spec.disableExtensionOperations && (spec.vmExtensions ?? []).length > 0,
      forbidden(`${path}.vmExtensions`, "must be empty when disableExtensionOperations is true"),
    ),
  ];
}

function idErrors(path: string, spec: Frozen<AzureMachineSpec>): readonly FieldError[] {
  const { capacityReservationGroupID: group, virtualMachineScaleSetID: set } = spec;
  const groupProblem = group === undefined ? undefined : armIdProblem(group);
  const setProblem = set === undefined ? undefined : scaleSetProblem(set);
  return [
    ...errorIf(
      groupProblem !== undefined,
      invalid(`${path}.capacityReservationGroupID`, group, `must be an ARM id: ${groupProblem}`),
    ),
    ...errorIf(
      setProblem !== undefined,
      invalid(`${path}.virtualMachineScaleSetID`, set, `must be the ARM id of a scale set: ${setProblem}`),
    ),
  ];
}

function scaleSetProblem(id: string): string | undefined {
  const type = "Microsoft.Compute/virtualMachineScaleSets";
  return armIdProblem(id) ?? (hasArmType(parseArmId(id), type) ? undefined : `its type is not ${type}`);
}
