import type { Frozen, Operation } from "@capstan/api";

/** Whether an action has reached a resource, or one instance of a scale set. */
export type Evidence = "none" | "running" | "done";

/**
 * Reads Azure to find out what a POST has changed. The answer has one entry for an action of a resource, or one for each instance
 * of a batch.
 *
 * It gets the stored record, because only that survives a crash: the desired state may have changed since.
 */
export type PostEvidence = (record: Frozen<Operation>) => Promise<readonly Evidence[]>;
