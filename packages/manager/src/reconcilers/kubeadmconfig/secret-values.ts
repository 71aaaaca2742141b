import { type Frozen, Secret } from "@capstan/api";
import { waiting } from "@capstan/runtime";
import { type SecretUse, secretUses, type SecretValues, valueKey } from "../../bootstrap/secret-values.ts";
import type { Scope } from "./scope.ts";

// Secrets of users are not watched, because the manager must not list the Secrets of all users.
const MISSING_RETRY_MS = 30_000;

/** Reads the values that a config takes from Secrets, each Secret once. */
export async function readSecretValues({ config, context }: Scope): Promise<SecretValues> {
  const uses = secretUses(config.spec);
  const { namespace } = config.metadata;
  const names = [...new Set(uses.map(({ name }) => name))];
  const secrets = new Map<string, Frozen<Secret> | undefined>();
  for (const name of names) secrets.set(name, await context.client.find(Secret, { name, namespace }));
  return new Map(uses.map((use) => [valueKey(use), valueOf(use, secrets.get(use.name))]));
}

function valueOf({ field, name, key }: SecretUse, secret: Frozen<Secret> | undefined): Uint8Array {
  const value = secret?.data?.[key];
  if (value !== undefined) return Buffer.from(value, "base64");
  const message = secret
    ? `${field}.key: ${JSON.stringify(key)}: Secret ${JSON.stringify(name)} has no such key`
    : `${field}.name: ${JSON.stringify(name)}: no such Secret exists in the namespace`;
  throw waiting("WaitingForSecret", message, MISSING_RETRY_MS);
}
