/** Where both versions have conditions and counters: each set has a place of its own in the other version. */
import { type FieldRule, moved } from "./rules.ts";

/**
 * The two sets of conditions. No condition is translated: the older set goes to the deprecated block, and the newer one
 * comes from the block for the next version.
 */
export const conditionSets: readonly FieldRule[] = [
  moved("status.conditions", "status.deprecated.v1beta1.conditions"),
  moved("status.v1beta2.conditions", "status.conditions"),
];

/** Counters with another meaning in the newer version: the older ones are deprecated there. */
export function deprecatedFields(...names: readonly string[]): FieldRule[] {
  return names.map((name) => moved(`status.${name}`, `status.deprecated.v1beta1.${name}`));
}

/** Fields that the older version has only in its block for the next one. They follow the deprecated ones. */
export function nextVersionFields(...names: readonly string[]): FieldRule[] {
  return names.map((name) => moved(`status.v1beta2.${name}`, `status.${name}`));
}

/** The counters of machines in the sense of the newer version. */
export const REPLICA_COUNTERS = ["readyReplicas", "availableReplicas", "upToDateReplicas"] as const;
