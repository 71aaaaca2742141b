import type { Frozen, Operation } from "@capstan/api";

/** Whether a resource, or one instance of a scale set, shows that an action reached it. */
export type Evidence = "none" | "running" | "done";

/**
 * Looks at Azure for what a POST has changed, by a read of its own. The answer has one piece of evidence for each thing
 * that the POST is about: one for an action of a resource, one for each instance of a batch.
 *
 * It gets the record because that alone survives a crash: the process that follows the POST may no longer want it.
 */
export type PostEvidence = (record: Frozen<Operation>) => Promise<readonly Evidence[]>;
