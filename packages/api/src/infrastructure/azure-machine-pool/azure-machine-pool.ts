import { type ObjectOf, defineKind } from "../../kind.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "../group.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN } from "../../printer-columns.ts";
import { defaultVirtualMachine } from "../virtual-machine.ts";
import { defaultIdentity } from "../vm-identity.ts";
import { AzureMachinePoolSpec, AzureMachinePoolStatus } from "./schema.ts";
import { azureMachinePoolErrors } from "./rules.ts";
import { azureMachinePoolWarnings } from "./warnings.ts";

/** A pool of machines on one scale set: the infrastructure of a MachinePool of Cluster API. */
export const AzureMachinePool = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureMachinePool",
  plural: "azuremachinepools",
  shortNames: ["amp"],
  description: "A pool of machines on one Azure scale set.",
  spec: AzureMachinePoolSpec,
  status: AzureMachinePoolStatus,
  columns: [
    { name: "Replicas", type: "string", jsonPath: ".status.replicas" },
    { name: "Ready", type: "string", jsonPath: ".status.ready" },
    { name: "State", type: "string", jsonPath: ".status.provisioningState" },
    { ...CLUSTER_LABEL_COLUMN, priority: 1 },
    {
      name: "MachinePool",
      type: "string",
      jsonPath: '.metadata.ownerReferences[?(@.kind=="MachinePool")].name',
      priority: 1,
    },
    { name: "VMSS ID", type: "string", jsonPath: ".spec.providerID", priority: 1 },
    { name: "VM Size", type: "string", jsonPath: ".spec.template.vmSize", priority: 1 },
    AGE_COLUMN,
  ],
  crdLabels: AZURE_PROVIDER_LABELS,
  applyDefaults: ({ spec }) => {
    defaultIdentity(spec);
    defaultVirtualMachine(spec.template);
  },
  validate: azureMachinePoolErrors,
  warn: azureMachinePoolWarnings,
});

/** A pool of machines on one scale set. */
export type AzureMachinePool = ObjectOf<typeof AzureMachinePool>;
