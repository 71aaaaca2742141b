import { type AdmissionRequest, type ObjectOf, defineKind } from "../kind.ts";
import { Conditions } from "../kubernetes/condition.ts";
import { boolean, listOf, mapOf, object, optional, string, timestamp } from "../schema/schema.ts";
import { Taint } from "../kubernetes/taint.ts";
import { type FieldError, forbidden, invalid } from "../values/field-error.ts";
import { providerIdProblem } from "../values/provider-id.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "./group.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN } from "../printer-columns.ts";
import { ObjectReference } from "../kubernetes/object-reference.ts";
import { LongRunningOperationState, LongRunningOperationStates, Operation } from "./operation.ts";

/** Asks the machine's controller to update its instance in place; removed when the update is done. */
export const UPDATE_INSTANCE_ANNOTATION = "azuremachinepool.infrastructure.cluster.x-k8s.io/updateInstance";

const IMMUTABLE = "cannot change: a machine stands for one instance for life";

const Spec = object("The wanted state of the machine.", {
  providerID: string("The id of the instance. Cannot change.", {
    rules: [{ rule: "self == oldSelf", message: IMMUTABLE }],
  }),
  instanceID: optional(
    string("The id of the instance in its scale set. Cannot change once it is set.", {
      rules: [{ rule: "self == oldSelf", message: IMMUTABLE }],
    }),
  ),
});

const InstanceUpdate = object("What must survive the update of the instance in place.", {
  startedAt: timestamp("When the update began."),
  modelHash: string("The model that the instance is updated to."),
  nodeName: string("The Node before the update."),
  nodeUID: string("The UID of the Node before the update."),
  bootID: string("The boot of the Node before the update; a new one shows that it came back."),
  cordonedByUs: optional(boolean("Whether we cordoned the Node and so must uncordon it.")),
  labels: optional(mapOf("Labels of users, put back on the new Node.", string("A value."))),
  annotations: optional(mapOf("Annotations of users, put back on the new Node.", string("A value."))),
  taints: optional(listOf("Taints of users, put back on the new Node.", Taint)),
});

const Status = object("The observed state of the machine.", {
  nodeRef: optional(ObjectReference),
  version: optional(string("The version of the kubelet.")),
  provisioningState: optional(string("What Azure says about the instance.")),
  instanceID: optional(string("The id of the instance in its scale set.")),
  instanceName: optional(string("The name of the instance.")),
  failureReason: optional(string("Why the machine cannot work, in one word.")),
  failureMessage: optional(string("Why the machine cannot work, in a sentence.")),
  conditions: optional(Conditions),
  longRunningOperationStates: optional(LongRunningOperationStates),
  longRunningOperationState: optional(LongRunningOperationState),
  operation: optional(Operation),
  latestModelApplied: optional(boolean("Whether the instance has the newest model.")),
  modelHash: optional(
    string("The hash of the VM profile that the instance was made from, with the version of the hash."),
  ),
  nodeDrainStartTime: optional(timestamp("When draining the Node began.")),
  instanceUpdate: optional(InstanceUpdate),
  ready: optional(boolean("Whether the Node is ready.")),
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
