/**
 * Annotation of an AzureMachinePool: when somebody last asked for all of its machines anew. Its value is part of what the
 * hash of the wanted model is made of, so that machines from before are outdated although the spec is the same.
 */
export const RESTARTED_AT_ANNOTATION = "capstan.dev/restarted-at";
