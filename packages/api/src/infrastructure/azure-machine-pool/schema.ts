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
import { LongRunningOperationStates, Operation } from "../operation.ts";
import { virtualMachineFields } from "../virtual-machine.ts";
import { identityFields } from "../vm-identity.ts";
import { NodePrototyping, NodePrototypingStatus } from "./node-prototyping.ts";

const DEFAULT_ROLLING_UPDATE = {
  maxSurge: 1,
  maxUnavailable: 0,
  deletePolicy: "Oldest",
  instanceUpdate: "Replace",
} as const;

const isZero = (field: string): string => `(self.${field} == 0 || self.${field} == '0%')`;

const RollingUpdate = object(
  "How far a rollout may go at a time.",
  {
    maxSurge: optional(
      intOrPercent("How many machines there may be beyond the wanted number; a percentage rounds up.", {
        default: DEFAULT_ROLLING_UPDATE.maxSurge,
      }),
    ),
    maxUnavailable: optional(
      intOrPercent("How many machines may be unavailable at a time; a percentage rounds down.", {
        default: DEFAULT_ROLLING_UPDATE.maxUnavailable,
      }),
    ),
    deletePolicy: optional(
      oneOf("Which machines go first when there are too many.", ["Random", "Newest", "Oldest"], {
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
  "How machines move to a new model.",
  {
    type: optional(oneOf("The kind of rollout.", ["RollingUpdate"], { default: "RollingUpdate" })),
    rollingUpdate: optional(RollingUpdate),
  },
  { default: { type: "RollingUpdate", rollingUpdate: DEFAULT_ROLLING_UPDATE } },
);

const Template = object("What the machines of the pool look like.", {
  ...virtualMachineFields,
  image: optional(
    object(
      "The image that new machines boot from; without it, the public one for the Kubernetes version.",
      { ...imageFields, nodePrototyping: optional(NodePrototyping) },
      { rules: [oneImageSource] },
    ),
  ),
  terminateNotificationTimeout: optional(
    integer("How many minutes Azure announces a deletion before it happens, 5 to 15."),
  ),
});

/** What users write about a pool. */
export const AzureMachinePoolSpec = object("The wanted state of the pool.", {
  location: string("The Azure region.", {
    rules: [
      { rule: "self == oldSelf", message: "a scale set cannot move; create a new pool in the other region" },
    ],
  }),
  template: Template,
  image: optional(
    object("An older place for settings of the image. Use spec.template.image.", {
      nodePrototyping: optional(NodePrototyping),
    }),
  ),
  additionalTags: optional(mapOf("Azure tags for everything made for the pool.", string("A value."))),
  providerID: optional(string("The id of the scale set. Written by the controller.")),
  providerIDList: optional(
    listOf("The ids of the instances. Written by the controller.", string("A provider id.")),
  ),
  ...identityFields,
  strategy: optional(Strategy),
  nodeDrainTimeout: optional(
    duration("How long a Node may be drained before its machine goes regardless; 0 means without limit."),
  ),
  orchestrationMode: optional(
    oneOf("How Azure manages the instances. Only Uniform is supported.", ["Flexible", "Uniform"], {
      default: "Uniform",
    }),
  ),
  platformFaultDomainCount: optional(
    integer("Over how many fault domains instances are spread. Fixed at creation."),
  ),
  zoneBalance: optional(boolean("Whether Azure refuses to let zones differ in size.")),
});

/** What users write about a pool. */
export type AzureMachinePoolSpec = Static<typeof AzureMachinePoolSpec>;

/** What is known about a pool. */
export const AzureMachinePoolStatus = object("The observed state of the pool.", {
  ready: optional(boolean("Whether the pool serves.")),
  replicas: optional(integer("How many machines are ready.")),
  upToDateReplicas: optional(integer("How many machines have the newest model and stay.")),
  lastReconciledReplicas: optional(integer("The wanted number that was reached last.")),
  externalReplicas: optional(
    integer(
      "How many machines an external autoscaler wanted when the pool began to replace some; gone when as many are there again.",
    ),
  ),
  externalCapacity: optional(
    integer(
      "The capacity that the pool has left the scale set at meanwhile; another one is the autoscaler's wish.",
    ),
  ),
  image: optional(Image),
  version: optional(string("The Kubernetes version of the model.")),
  provisioningState: optional(string("What Azure says about the scale set.")),
  failureReason: optional(string("Why the pool cannot work, in one word.")),
  failureMessage: optional(string("Why the pool cannot work, in a sentence.")),
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
        provisioningState: optional(string("What Azure says about it.")),
        version: optional(string("Its Kubernetes version.")),
      }),
    ),
  ),
  longRunningOperationStates: optional(LongRunningOperationStates),
  operation: optional(Operation),
  instanceOperations: optional(
    listOf(
      "What is being done to single instances beside it: at most 3 at once, and with those that hang at most 20.",
      Operation,
    ),
  ),
  instancesToReimage: optional(
    listOf(
      "Instances that are updated in place and get their disk anew afterwards, because their image stays the same.",
      string("An instance id."),
    ),
  ),
  pickedForDeletion: optional(
    listOf(
      "The machines that the pool has decided to delete; written before they are. Others that go were deleted by a user.",
      string("The name of an AzureMachinePoolMachine."),
    ),
  ),
  pickedForUpdate: optional(
    listOf(
      "The machines that the pool has decided to update in place; written before they are told. One that is told by a user is not updated.",
      string("The name of an AzureMachinePoolMachine."),
    ),
  ),
  modelHash: optional(
    string("The hash of the VM profile that new instances get, with the version of the hash."),
  ),
  blockedRemoval: optional(
    object("A removal so large that it waits until it is confirmed.", {
      hash: string("The hash of the names that would go."),
      count: integer("How many would go."),
      confirmations: integer("How many complete lists said so."),
      lastConfirmedAt: timestamp("When a list said so last."),
    }),
  ),
  lastImagePrototype: optional(timestamp("When the image was renewed successfully for the last time.")),
  nodePrototyping: optional(NodePrototypingStatus),
});

/** What is known about a pool. */
export type AzureMachinePoolStatus = Static<typeof AzureMachinePoolStatus>;
