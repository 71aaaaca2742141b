/** The parts of a machine that are the same in all versions. */
import { integer, listOf, long, object, oneOf, optional, string, timestamp } from "../schema/schema.ts";

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

/** An address of a machine. */
export const MachineAddress = object("An address of the machine.", {
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

/** The updaters of a machine in its spec. */
export const machineUpdaters = {
  updaters: optional(
    listOf(
      "The updaters that update this machine in place, in the order they run. Each is removed when it is done.",
      string("The name of an updater.", { minLength: 1, maxLength: 512 }),
      { maxItems: 32 },
    ),
  ),
};

/** The fields of a status that are the same in all versions. */
export const machineObservations = {
  nodeInfo: optional(NodeInfo),
  lastUpdated: optional(timestamp("When the phase last changed.")),
  phase: optional(oneOf("The phase of the machine.", PHASES)),
  certificatesExpiryDate: optional(timestamp("When the certificates of a control plane machine expire.")),
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
};
