/** The replicas of an object whose manifest leaves them to an autoscaler. */
import type { Frozen, ObjectMeta } from "../kubernetes/meta.ts";
import { type FieldError, invalid } from "../values/field-error.ts";
import { AUTOSCALER_MAX_SIZE_ANNOTATION, AUTOSCALER_MIN_SIZE_ANNOTATION } from "./well-known.ts";

const SIZE_ANNOTATIONS = [AUTOSCALER_MIN_SIZE_ANNOTATION, AUTOSCALER_MAX_SIZE_ANNOTATION];

/**
 * The initial replicas: 1, or for an autoscaled object its current number, moved into the range. Within its range the
 * autoscaler takes over; outside of it, no controller would ever change the number.
 */
export function defaultReplicas(metadata: Frozen<ObjectMeta>, current: number | undefined): number {
  const [smallest, largest] = SIZE_ANNOTATIONS.map((name) => sizeOf(metadata.annotations?.[name]));
  if (smallest === undefined || largest === undefined) return 1;
  return current === undefined ? smallest : Math.max(smallest, Math.min(current, largest));
}

/** Reports the autoscaler's sizes that are not numbers. */
export function autoscalerErrors(metadata: Frozen<ObjectMeta>): FieldError[] {
  return SIZE_ANNOTATIONS.flatMap((name) => {
    const value = metadata.annotations?.[name];
    if (value === undefined || sizeOf(value) !== undefined) return [];
    return [invalid(`metadata.annotations[${name}]`, value, 'must be a whole number, such as "3"')];
  });
}

function sizeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}
