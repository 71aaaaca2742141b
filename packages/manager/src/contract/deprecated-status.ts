/** The part of a status that only clients of v1beta1 read. */
interface WithDeprecated {
  deprecated?: { v1beta1?: object };
}

/** The fields of v1beta1 in the status of a kind. */
type DeprecatedFields<S extends WithDeprecated> = NonNullable<NonNullable<S["deprecated"]>["v1beta1"]>;

/** A status with other fields of v1beta1. One that is undefined is removed; those that are not named stay, with the conditions. */
export function withDeprecated<S extends WithDeprecated>(
  status: S,
  fields: { readonly [Name in keyof DeprecatedFields<S>]?: DeprecatedFields<S>[Name] | undefined },
): S {
  const merged = Object.entries({ ...status.deprecated?.v1beta1, ...fields });
  const v1beta1 = Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  return { ...status, deprecated: { ...status.deprecated, v1beta1 } };
}
