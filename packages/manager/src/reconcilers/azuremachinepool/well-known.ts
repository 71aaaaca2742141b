/** Names by which the controllers of pools and of their machines understand each other. */

/** Label of a machine: the AzureMachinePool it belongs to. */
export const MACHINE_POOL_LABEL = "azuremachinepool.infrastructure.cluster.x-k8s.io/machine-pool";
/** Finalizer of a machine; CAPZ's, and there from the beginning. */
export const MACHINE_FINALIZER = "azuremachinepoolmachine.infrastructure.cluster.x-k8s.io";
/** Annotation of a machine: the model its instance was made from, until its status says so. */
export const MODEL_HASH_ANNOTATION = "capstan.dev/model-hash";
/** Annotation of a machine: it is there only for as long as others are updated in place. */
export const SURGE_ANNOTATION = "capstan.dev/surge";
/** The model of an instance of which nobody can say what it was made from; it equals no other. */
export const UNKNOWN_MODEL = "unknown";
