import { type AdmissionRequest, type ObjectOf, defineKind } from "../kind.ts";
import { Conditions } from "../kubernetes/condition.ts";
import { boolean, listOf, mapOf, object, optional, string, timestamp } from "../schema/schema.ts";
import { Taint } from "../kubernetes/taint.ts";
import { type FieldError, forbidden, invalid } from "../values/field-error.ts";
import { providerIdProblem } from "../values/provider-id.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "./group.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN } from "../printer-columns.ts";
import { ObjectReference } from "../kubernetes/object-reference.ts";
import { Initialization } from "./initialization.ts";
import { LongRunningOperationState, LongRunningOperationStates, Operation } from "./operation.ts";

/** Requests an in-place update of the instance from the machine's controller; removed when the update is done. */
export const UPDATE_INSTANCE_ANNOTATION = "azuremachinepool.infrastructure.cluster.x-k8s.io/updateInstance";

const IMMUTABLE = "cannot change: a machine stands for one instance for life";

const Spec = object("The desired state of the machine.", {
  providerID: string("The provider id of the instance. Immutable.", {
    rules: [{ rule: "self == oldSelf", message: IMMUTABLE }],
  }),
  instanceID: optional(
    string("The id of the instance in its scale set. Immutable once it is set.", {
      rules: [{ rule: "self == oldSelf", message: IMMUTABLE }],
    }),
  ),
});

const InstanceUpdate = object("What must survive the in-place update of the instance.", {
  startedAt: timestamp("When the update began."),
  modelHash: string("The model that the instance is updated to."),
  nodeName: string("The Node before the update."),
  nodeUID: string("The UID of the Node before the update."),
  bootID: string("The boot id of the Node before the update; a new one proves that it rebooted."),
  cordonedByUs: optional(boolean("Whether we cordoned the Node and so must uncordon it.")),
  labels: optional(mapOf("Labels of users, restored on the new Node.", string("A value."))),
  annotations: optional(mapOf("Annotations of users, restored on the new Node.", string("A value."))),
  taints: optional(listOf("Taints of users, restored on the new Node.", Taint)),
});

const Status = object("The observed state of the machine.", {
  nodeRef: optional(ObjectReference),
  version: optional(string("The version of the kubelet.")),
  provisioningState: optional(string("The provisioning state of the instance in Azure.")),
  instanceID: optional(string("The id of the instance in its scale set.")),
  instanceName: optional(string("The name of the instance.")),
  failureReason: optional(string("Why the machine failed, in CamelCase.")),
  failureMessage: optional(string("Why the machine failed.")),
  conditions: optional(Conditions),
  longRunningOperationStates: optional(LongRunningOperationStates),
  longRunningOperationState: optional(LongRunningOperationState),
  operation: optional(Operation),
  latestModelApplied: optional(boolean("Whether the instance has the newest model.")),
  modelHash: optional(
    string("The hash of the VM profile that the instance was created from, with the version of the hash."),
  ),
  nodeDrainStartTime: optional(timestamp("When draining the Node began.")),
  instanceUpdate: optional(InstanceUpdate),
  ready: optional(boolean("Whether the Node is ready.")),
  initialization: optional(Initialization),
});

/** One instance of a pool's scale set. */
export const AzureMachinePoolMachine = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureMachinePoolMachine",
  plural: "azuremachinepoolmachines",
  shortNames: ["ampm"],
  description: "One machine of an AzureMachinePool. Deleting it drains its Node and deletes its instance.",
  spec: Spec,
  status: Status,
  columns: [
    { name: "Version", type: "string", jsonPath: ".status.version" },
    { name: "Ready", type: "string", jsonPath: ".status.ready" },
    { name: "State", type: "string", jsonPath: ".status.provisioningState" },
    { ...CLUSTER_LABEL_COLUMN, priority: 1 },
    { name: "VMSS VM ID", type: "string", jsonPath: ".spec.providerID", priority: 1 },
    AGE_COLUMN,
  ],
  crdLabels: AZURE_PROVIDER_LABELS,
  validate: machineErrors,
});

/** One instance of a pool's scale set. */
export type AzureMachinePoolMachine = ObjectOf<typeof AzureMachinePoolMachine>;

type Request = AdmissionRequest<{ spec: { providerID: string; instanceID?: string } }>;

function machineErrors({ object: machine, old }: Request): readonly FieldError[] {
  const { providerID, instanceID } = machine.spec;
  if (old && old.spec.providerID !== providerID) return [forbidden("spec.providerID", IMMUTABLE)];
  if (old?.spec.instanceID !== undefined && old.spec.instanceID !== instanceID)
    return [forbidden("spec.instanceID", `${IMMUTABLE}; it was ${JSON.stringify(old.spec.instanceID)}`)];
  const problem = providerIdProblem(providerID);
  return problem === undefined ? [] : [invalid("spec.providerID", providerID, problem)];
}
