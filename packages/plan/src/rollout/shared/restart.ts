/**
 * Annotation of an AzureMachinePool: when a user last asked to replace all its machines. The value is part of the desired
 * model's hash, so a new value makes all existing machines outdated although the spec is the same.
 */
export const RESTARTED_AT_ANNOTATION = "capstan.dev/restarted-at";
