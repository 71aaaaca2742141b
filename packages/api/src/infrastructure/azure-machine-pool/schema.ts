import { Conditions } from "../../kubernetes/condition.ts";
import {
  type Static,
  boolean,
  duration,
  integer,
  intOrPercent,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from "../../schema/schema.ts";
import { Image, imageFields, oneImageSource } from "../image.ts";
import { Initialization } from "../initialization.ts";
import { LongRunningOperationStates, Operation } from "../operation.ts";
import { virtualMachineFields } from "../virtual-machine.ts";
import { identityFields } from "../vm-identity.ts";
import { NodeCachingMode, NodePrototyping } from "./node-prototyping.ts";
import { NodePrototypingStatus } from "./node-prototyping-status.ts";

const DEFAULT_ROLLING_UPDATE = {
  maxSurge: 1,
  maxUnavailable: 0,
  deletePolicy: "Oldest",
  instanceUpdate: "Replace",
} as const;

const isZero = (field: string): string => `(self.${field} == 0 || self.${field} == '0%')`;

const RollingUpdate = object(
  "The limits of a rollout.",
  {
    maxSurge: optional(
      intOrPercent("How many machines may exist beyond the desired number; a percentage rounds up.", {
        default: DEFAULT_ROLLING_UPDATE.maxSurge,
      }),
    ),
    maxUnavailable: optional(
      intOrPercent("How many machines may be unavailable at a time; a percentage rounds down.", {
        default: DEFAULT_ROLLING_UPDATE.maxUnavailable,
      }),
    ),
    deletePolicy: optional(
      oneOf("Which machines are deleted first when there are too many.", ["Random", "Newest", "Oldest"], {
        default: DEFAULT_ROLLING_UPDATE.deletePolicy,
      }),
    ),
    instanceUpdate: optional(
      oneOf(
        "Whether an outdated instance is replaced by a new one or updated in place, which loses its local data but keeps its capacity.",
        ["Replace", "InPlace"],
        { default: DEFAULT_ROLLING_UPDATE.instanceUpdate },
      ),
    ),
  },
  {
    default: DEFAULT_ROLLING_UPDATE,
    rules: [
      {
        rule: `!(${isZero("maxSurge")} && ${isZero("maxUnavailable")})`,
        message: "maxSurge and maxUnavailable must not both be 0, or no machine could ever be replaced",
      },
    ],
  },
);

const Strategy = object(
  "How machines are updated to a new model.",
  {
    type: optional(oneOf("The kind of rollout.", ["RollingUpdate"], { default: "RollingUpdate" })),
    rollingUpdate: optional(RollingUpdate),
  },
  { default: { type: "RollingUpdate", rollingUpdate: DEFAULT_ROLLING_UPDATE } },
);

const Template = object("The template of the pool's machines.", {
  ...virtualMachineFields,
  image: optional(
    object(
      "The image that new machines boot from; without it, the public one for the Kubernetes version.",
      { ...imageFields, nodePrototyping: optional(NodePrototyping) },
      { rules: [oneImageSource] },
    ),
  ),
  nodeCachingMode: optional(NodeCachingMode),
  terminateNotificationTimeout: optional(
    integer("How many minutes Azure announces a deletion before it happens, 5 to 15."),
  ),
});

/** The spec of a pool. */
export const AzureMachinePoolSpec = object("The desired state of the pool.", {
  location: string("The Azure region.", {
    rules: [
      { rule: "self == oldSelf", message: "a scale set cannot move; create a new pool in the other region" },
    ],
  }),
  template: Template,
  image: optional(
    object("An older field for settings of the image. Use spec.template.image.", {
      nodePrototyping: optional(NodePrototyping),
    }),
  ),
  additionalTags: optional(mapOf("Azure tags for all resources of the pool.", string("A value."))),
  providerID: optional(string("The provider id of the scale set. Set by the controller.")),
  providerIDList: optional(
    listOf("The provider ids of the instances. Set by the controller.", string("A provider id.")),
  ),
  ...identityFields,
  strategy: optional(Strategy),
  nodeDrainTimeout: optional(
    duration(
      "How long a Node may be drained before its machine is deleted regardless; 0 means without limit.",
    ),
  ),
  orchestrationMode: optional(
    oneOf("How Azure manages the instances. Only Uniform is supported.", ["Flexible", "Uniform"], {
      default: "Uniform",
    }),
  ),
  platformFaultDomainCount: optional(
    integer("Over how many fault domains instances are spread. Fixed at creation."),
  ),
  zoneBalance: optional(boolean("Whether Azure keeps zones at equal sizes strictly.")),
});

/** The spec of a pool. */
export type AzureMachinePoolSpec = Static<typeof AzureMachinePoolSpec>;

/** The status of a pool. */
export const AzureMachinePoolStatus = object("The observed state of the pool.", {
  ready: optional(boolean("Whether the pool is ready.")),
  initialization: optional(Initialization),
  replicas: optional(integer("How many machines are ready.")),
  upToDateReplicas: optional(integer("How many machines have the newest model and are not being deleted.")),
  lastReconciledReplicas: optional(integer("The desired number that was last reached.")),
  externalReplicas: optional(
    integer(
      "The number that an external autoscaler wanted when the pool began to replace machines; unset when as many exist again.",
    ),
  ),
  externalCapacity: optional(
    integer(
      "The capacity that the pool has set meanwhile; a different one is a new number of the autoscaler.",
    ),
  ),
  image: optional(Image),
  version: optional(string("The Kubernetes version of the model.")),
  provisioningState: optional(string("The provisioning state of the scale set in Azure.")),
  failureReason: optional(string("Why the pool failed, in CamelCase.")),
  failureMessage: optional(string("Why the pool failed.")),
  conditions: optional(Conditions),
  infrastructureMachineKind: optional(string("The kind of the pool's machines: AzureMachinePoolMachine.")),
  instances: optional(
    listOf(
      "Instances as an older version listed them; now each has an AzureMachinePoolMachine.",
      object("An instance.", {
        instanceID: optional(string("Its id in the scale set.")),
        instanceName: optional(string("Its name.")),
        latestModelApplied: boolean("Whether it has the newest model."),
        providerID: optional(string("Its provider id.")),
        provisioningState: optional(string("Its provisioning state in Azure.")),
        version: optional(string("Its Kubernetes version.")),
      }),
    ),
  ),
  longRunningOperationStates: optional(LongRunningOperationStates),
  operation: optional(Operation),
  instanceOperations: optional(
    listOf(
      "The running operations on single instances: at most 3 at once, and including those that hang at most 20.",
      Operation,
    ),
  ),
  instancesToReimage: optional(
    listOf(
      "Instances that are updated in place and re-imaged afterwards, because their image stays the same.",
      string("An instance id."),
    ),
  ),
  pickedForDeletion: optional(
    listOf(
      "The machines that the pool controller has picked for deletion; written before it deletes them. A machine that is being deleted and is not listed was deleted by a user.",
      string("The name of an AzureMachinePoolMachine."),
    ),
  ),
  pickedForUpdate: optional(
    listOf(
      "The machines that the pool controller has picked for an in-place update; written before it annotates them. A machine that a user annotates is not updated.",
      string("The name of an AzureMachinePoolMachine."),
    ),
  ),
  modelHash: optional(
    string("The hash of the VM profile that new instances get, with the version of the hash."),
  ),
  blockedRemoval: optional(
    object("A removal so large that it waits for confirmation.", {
      hash: string("The hash of the names that would be removed."),
      count: integer("How many would be removed."),
      confirmations: integer("How many complete lists confirm it."),
      lastConfirmedAt: timestamp("When a list last confirmed it."),
    }),
  ),
  lastImagePrototype: optional(timestamp("When the image was last renewed successfully.")),
  nodePrototyping: optional(NodePrototypingStatus),
});

/** The status of a pool. */
export type AzureMachinePoolStatus = Static<typeof AzureMachinePoolStatus>;
