import type { Frozen, KubeadmConfig } from "@capstan/api";

/** A value that a config takes from a Secret, and the field that refers to it. */
export interface SecretUse {
  readonly field: string;
  readonly name: string;
  readonly key: string;
}

/** Values of Secrets by Secret and key. */
export type SecretValues = ReadonlyMap<string, Uint8Array>;

/** The values that a config takes from Secrets. */
export function secretUses({ files = [], users = [] }: Frozen<KubeadmConfig>["spec"]): SecretUse[] {
  return [
    ...files.flatMap(({ contentFrom }, index) =>
      contentFrom ? [{ field: `spec.files[${index}].contentFrom.secret`, ...contentFrom.secret }] : [],
    ),
    ...users.flatMap(({ passwdFrom }, index) =>
      passwdFrom ? [{ field: `spec.users[${index}].passwdFrom.secret`, ...passwdFrom.secret }] : [],
    ),
  ];
}

/** The key of a value in the map. */
export function valueKey({ name, key }: Pick<SecretUse, "name" | "key">): string {
  return `${name}/${key}`;
}

/** The value; the caller must have read all Secrets before. */
export function valueIn(values: SecretValues, reference: Pick<SecretUse, "name" | "key">): Uint8Array {
  const value = values.get(valueKey(reference));
  if (!value)
    throw new TypeError(`the value of Secret ${reference.name}, key ${reference.key}, was not read`);
  return value;
}
