import { Conditions } from "../kubernetes/condition.ts";
import { ObjectReference } from "../kubernetes/object-reference.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import {
  anyObject,
  boolean,
  described,
  integer,
  listOf,
  long,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from "../schema/schema.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";
import {
  AGE_COLUMN,
  CLUSTER_COLUMN,
  PHASE_COLUMN,
  conditionColumn,
  versionColumn,
} from "../printer-columns.ts";
import { machineFields } from "./machine-fields.ts";
import {
  defaultMachineSpec,
  immutableErrors,
  labelWithCluster,
  machineSpecErrors,
  workerTaintErrors,
} from "./machine-rules.ts";
import { specLockErrors } from "./spec-lock.ts";
import { CONTROL_PLANE_LABEL, POOL_NAME_LABEL } from "./well-known.ts";

const NodeInfo = object("What the kubelet reports about the machine.", {
  architecture: string("The architecture of the processor."),
  bootID: string("A new id at each boot."),
  containerRuntimeVersion: string("The container runtime with its version."),
  kernelVersion: string("The kernel."),
  kubeProxyVersion: string("The version of kube-proxy."),
  kubeletVersion: string("The version of the kubelet."),
  machineID: string("The id of the machine."),
  operatingSystem: string("The operating system."),
  osImage: string("The image of the operating system."),
  systemUUID: string("The id of the system, from its firmware."),
  swap: optional(object("Swap on the machine.", { capacity: optional(long("Its size in bytes.")) })),
});

const Address = object("An address of the machine.", {
  type: oneOf("The type of the address.", [
    "Hostname",
    "ExternalIP",
    "InternalIP",
    "ExternalDNS",
    "InternalDNS",
  ]),
  address: string("The address.", { minLength: 1, maxLength: 256 }),
});

const PHASES = [
  "Pending",
  "Provisioning",
  "Provisioned",
  "Running",
  "Updating",
  "Deleting",
  "Deleted",
  "Failed",
  "Unknown",
] as const;

const Spec = object("The desired state of the machine.", {
  ...machineFields,
  updaters: optional(
    listOf(
      "The updaters that update this machine in place, in the order they run. Each is removed when it is done.",
      string("The name of an updater.", { minLength: 1, maxLength: 512 }),
      { maxItems: 32 },
    ),
  ),
});

const Status = object("The observed state of the machine.", {
  nodeRef: optional(described("The node of the machine.", ObjectReference)),
  nodeInfo: optional(NodeInfo),
  lastUpdated: optional(timestamp("When the phase last changed.")),
  failureReason: optional(string("Why the machine failed for good, in CamelCase.")),
  failureMessage: optional(string("Why the machine failed for good.", { minLength: 1, maxLength: 10240 })),
  addresses: optional(listOf("The addresses of the machine.", Address)),
  phase: optional(oneOf("The phase of the machine.", PHASES)),
  certificatesExpiryDate: optional(timestamp("When the certificates of a control plane machine expire.")),
  bootstrapReady: optional(boolean("Whether the bootstrap data is available.")),
  infrastructureReady: optional(boolean("Whether the infrastructure is ready.")),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  conditions: optional(Conditions),
  deletion: optional(
    object("The progress of the deletion.", {
      nodeDrainStartTime: optional(timestamp("When draining began.")),
      waitForNodeVolumeDetachStartTime: optional(timestamp("When the wait for volumes began.")),
      waitForPreDrainHookStartTime: optional(timestamp("When the wait for pre-drain hooks began.")),
      waitForPreTerminateHookStartTime: optional(timestamp("When the wait for pre-terminate hooks began.")),
    }),
  ),
  update: optional(
    object("The progress of an update in place.", {
      updater: optional(string("The updater that runs.", { maxLength: 512 })),
      specHash: string("A hash of the desired state that the updaters work on.", { maxLength: 64 }),
      state: oneOf("InProgress until the last updater is done, or one of them has failed.", [
        "InProgress",
        "Failed",
      ]),
      since: timestamp("When the first call of the updater was sent."),
      attempts: optional(integer("How often the updater was called.")),
      failures: optional(integer("How many calls in a row were not answered, or not understood.")),
      nextCallTime: optional(timestamp("When the updater is called again.")),
      message: optional(string("The last answer of the updater.", { maxLength: 2048 })),
      retried: optional(string("The last value of the retry annotation.", { maxLength: 256 })),
    }),
  ),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});

/** A machine that is, or will be, a node of a cluster. */
export const Machine = defineKind({
  ...CLUSTER_API,
  kind: "Machine",
  plural: "machines",
  shortNames: ["ma"],
  description: "A machine that is, or will be, a node of a cluster.",
  spec: Spec,
  status: Status,
  crdLabels: CORE_PROVIDER_LABELS,
  columns: [
    CLUSTER_COLUMN,
    {
      name: "Node Name",
      type: "string",
      jsonPath: ".status.nodeRef.name",
      description: "The node of the machine.",
    },
    {
      name: "Provider ID",
      type: "string",
      jsonPath: ".spec.providerID",
      description: "The id at the cloud provider.",
      priority: 1,
    },
    {
      name: "Failure domain",
      type: "string",
      jsonPath: ".spec.failureDomain",
      description: "Where it runs.",
    },
    conditionColumn("Ready", "Ready"),
    conditionColumn("Available", "Available"),
    conditionColumn("Up-to-date", "UpToDate"),
    {
      name: "Internal-IP",
      type: "string",
      jsonPath: '.status.addresses[?(@.type=="InternalIP")].address',
      description: "Its address.",
      priority: 1,
    },
    {
      name: "OS-Image",
      type: "string",
      jsonPath: ".status.nodeInfo.osImage",
      description: "Its operating system.",
      priority: 1,
    },
    conditionColumn("Paused", "Paused", 1),
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.version"),
  ],
  applyDefaults(draft) {
    labelWithCluster(draft.metadata, draft.spec.clusterName);
    defaultMachineSpec(draft.spec, draft.metadata.namespace);
  },
  validate({ object: machine, old }) {
    const { metadata } = machine;
    const errors = machineSpecErrors(machine.spec, { field: "spec", namespace: metadata.namespace });
    // The machines of a pool have no bootstrap data of their own; the pool has it.
    const ofPool = metadata.labels?.[POOL_NAME_LABEL] !== undefined;
    return [
      ...errors.filter(({ field }) => !(ofPool && field === "spec.bootstrap")),
      ...(metadata.labels?.[CONTROL_PLANE_LABEL] === undefined
        ? workerTaintErrors("spec.taints", machine.spec.taints)
        : []),
      ...(old ? immutableErrors("spec.clusterName", machine.spec.clusterName, old.spec.clusterName) : []),
      ...(old ? specLockErrors(machine, old) : []),
    ];
  },
});

/** A machine that is, or will be, a node of a cluster. */
export type Machine = ObjectOf<typeof Machine>;
