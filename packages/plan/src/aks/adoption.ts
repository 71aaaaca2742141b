/** What the adoption of a resource would change in Azure. Pure. */
import { type AsoObject, type Frozen, groupOf, isJsonObject } from "@capstan/api";
import { driftsOf } from "../service-operator/drift.ts";
import { asoResourceType } from "../service-operator/resource-types.ts";
import { armBody, UnresolvedReference } from "../service-operator/to-arm.ts";
import type { DesiredObject } from "./desired-object.ts";

// A condition has room for a few; a user who corrects them sees the next.
const MOST_CHANGES = 5;
const LONGEST_VALUE = 60;

/** The fields that adoption would change, each with both values; empty if Azure has what the manifests say. */
export function adoptionChanges(
  {
    apiVersion,
    kind,
    metadata,
    spec,
  }: Pick<DesiredObject, "apiVersion" | "kind" | "spec"> & {
    readonly metadata: { readonly name: string };
  },
  status: Frozen<AsoObject>["status"],
): readonly string[] {
  const type = asoResourceType({ group: groupOf(apiVersion), kind });
  if (!type || !status) return [];
  try {
    const {
      name: _,
      properties,
      ...rest
    } = armBody({ apiVersion, kind, metadata, spec }, type, () => undefined);
    const desired = { ...rest, ...(isJsonObject(properties) ? properties : {}) };
    const changes = [...driftsOf(desired, status)].map(
      (one) => `${one.path} from ${shown(one.actual)} to ${shown(one.desired)}`,
    );
    const more = changes.length - MOST_CHANGES;
    return more > 0 ? [...changes.slice(0, MOST_CHANGES), `${more} more`] : changes;
  } catch (error) {
    // Only Azure Service Operator knows where a reference by name leads.
    if (error instanceof UnresolvedReference) return [];
    throw error;
  }
}

function shown(value: unknown): string {
  const text = value === undefined ? "unset" : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
