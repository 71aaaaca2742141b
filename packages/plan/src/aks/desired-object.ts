/** An object of Azure Service Operator that a controller of AKS wants: every field it owns, and no other. */
export interface DesiredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The name of an object for an Azure resource: lower case, with dashes for all other characters. */
export function objectNameFor(azureName: string): string {
  return azureName
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

/** The fields that have a value. */
export function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""),
  );
}

/** The same, or undefined if no field has a value. */
export function presentOrNone(
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const found = present(fields);
  return Object.keys(found).length === 0 ? undefined : found;
}

/** A reference to a resource by its ARM id. */
export function armReference(id: string | undefined): { readonly armId: string } | undefined {
  return id ? { armId: id } : undefined;
}
