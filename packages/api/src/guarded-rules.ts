/**
 * Rules are written for objects that fit their schema, but callers may pass one that does not.
 *
 * The guard checks that first: an object that does not fit gets no defaults, and its errors are the misfits.
 */
import type { AdmissionRequest, CustomKind, CustomObject, KindDefinition } from "./kind.ts";
import type { KubernetesObject } from "./kubernetes/meta.ts";
import { type Misfit, misfits } from "./schema/misfits.ts";
import { type Static, type TSchema, mapOf, object, optional, string } from "./schema/schema.ts";
import { type FieldError, invalid, required } from "./values/field-error.ts";

type Rules<T extends KubernetesObject> = Pick<CustomKind<T>, "applyDefaults" | "validate" | "warn">;

const Metadata = object("The metadata that rules read.", {
  name: string("The name."),
  namespace: optional(string("The namespace.")),
  labels: optional(mapOf("The labels.", string("A value."))),
  annotations: optional(mapOf("The annotations.", string("A value."))),
});

// Enough to find the error; a hostile list could have a misfit in each of its items.
const MOST_MISFITS = 20;

/** The rules of a definition, safe to call with any JSON value as an object. Missing rules report nothing. */
export function guardRules<Spec extends TSchema, Status extends TSchema>(
  definition: KindDefinition<Spec, Status>,
): Rules<CustomObject<Static<Spec>, Static<Status>>> {
  const { kind, spec, status, defaulted = [], applyDefaults, validate, warn } = definition;
  const schema = object(kind, { metadata: Metadata, spec, ...(status && { status: optional(status) }) });
  const fits = (value: unknown): boolean => misfits(schema, value).next().done === true;
  const mayGetDefaults = (value: unknown): boolean =>
    misfits(schema, value).every((misfit) => misfit.value === undefined && defaulted.includes(misfit.field));
  // A stored object from before the current schema may not fit, and is then not compared with.
  const guarded = <T>({ old, ...request }: AdmissionRequest<T>): AdmissionRequest<T> => ({
    ...request,
    ...(old && fits(old) && { old }),
  });
  return {
    applyDefaults(draft, old) {
      if (applyDefaults && mayGetDefaults(draft)) applyDefaults(draft, old && fits(old) ? old : undefined);
    },
    validate(request) {
      if (!validate) return [];
      const found = misfits(schema, request.object).take(MOST_MISFITS).toArray();
      return found.length > 0 ? found.map((misfit) => misfitError(misfit, kind)) : validate(guarded(request));
    },
    warn: (request) => (warn && fits(request.object) ? warn(guarded(request)) : []),
  };
}

function misfitError({ field, value, expected }: Misfit, kind: string): FieldError {
  const detail = `does not fit the schema of ${kind}: ${expected}`;
  return value === undefined ? required(field, detail) : invalid(field || kind, value, detail);
}
