import { type ObjectOf, defineKind } from "../../kind.ts";
import { withDefaultDiagnostics } from "../diagnostics.ts";
import { defaultDataDisks } from "../disks.ts";
import { AGE, CLUSTER, AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "../group.ts";
import { defaultNetworkInterfaces } from "../network-interface.ts";
import { defaultEvictionPolicy } from "../spot.ts";
import { defaultIdentity } from "../vm-identity.ts";
import { AzureMachinePoolSpec, AzureMachinePoolStatus } from "./schema.ts";
import { validateAzureMachinePool, warnAzureMachinePool } from "./validation.ts";

/** A pool of machines on one scale set: what a MachinePool of Cluster API refers to. */
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
    { ...CLUSTER, priority: 1 },
    {
      name: "MachinePool",
      type: "string",
      jsonPath: '.metadata.ownerReferences[?(@.kind=="MachinePool")].name',
      priority: 1,
    },
    { name: "VMSS ID", type: "string", jsonPath: ".spec.providerID", priority: 1 },
    { name: "VM Size", type: "string", jsonPath: ".spec.template.vmSize", priority: 1 },
    AGE,
  ],
  crdLabels: AZURE_PROVIDER_LABELS,
  applyDefaults: ({ spec }) => {
    const { template } = spec;
    defaultIdentity(spec);
    defaultNetworkInterfaces(template);
    defaultDataDisks(template.dataDisks ?? []);
    defaultEvictionPolicy(template.spotVMOptions, template.osDisk);
    template.diagnostics = withDefaultDiagnostics(template.diagnostics);
  },
  validate: validateAzureMachinePool,
  warn: warnAzureMachinePool,
});

/** A pool of machines on one scale set. */
export type AzureMachinePool = ObjectOf<typeof AzureMachinePool>;
