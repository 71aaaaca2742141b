import type { Frozen, KubeadmConfig } from "@capstan/api";

/** A value that a config takes from a Secret, and the field that says so. */
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

/** What a value is found by. */
export function valueKey({ name, key }: Pick<SecretUse, "name" | "key">): string {
  return `${name}/${key}`;
}

/** The value; whoever prints a config has read all of them before. */
export function valueIn(values: SecretValues, reference: Pick<SecretUse, "name" | "key">): Uint8Array {
  const value = values.get(valueKey(reference));
  if (!value)
    throw new TypeError(`the value of Secret ${reference.name}, key ${reference.key}, was not read`);
  return value;
}
