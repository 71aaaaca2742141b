/** Names that the controllers of pools and of their machines share. */

/** Label of a machine: the AzureMachinePool it belongs to. */
export const MACHINE_POOL_LABEL = "azuremachinepool.infrastructure.cluster.x-k8s.io/machine-pool";
/** Finalizer of a machine; CAPZ's, set when the machine is created. */
export const MACHINE_FINALIZER = "azuremachinepoolmachine.infrastructure.cluster.x-k8s.io";
/** Annotation of a machine: the model its instance was created from, until it is in the status. */
export const MODEL_HASH_ANNOTATION = "capstan.dev/model-hash";
/** Annotation of a machine: the version of the image that its instance was created from. */
export const IMAGE_VERSION_ANNOTATION = "capstan.dev/image-version";
/** Annotation of a machine: it exists only while others are updated in place. */
export const SURGE_ANNOTATION = "capstan.dev/surge";
/** The model of an instance whose origin is unknown; it equals no other. */
export const UNKNOWN_MODEL = "unknown";
