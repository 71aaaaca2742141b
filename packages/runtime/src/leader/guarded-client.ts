import type { Client } from "../client/client.ts";

/** The same client, which checks leadership before each write. */
export function guardWrites(client: Client, assertMayWrite: () => void): Client {
  return {
    ...client,
    create: async (kind, object, options) => {
      assertMayWrite();
      return client.create(kind, object, options);
    },
    update: async (kind, object, options) => {
      assertMayWrite();
      return client.update(kind, object, options);
    },
    patch: async (kind, name, patch) => {
      assertMayWrite();
      return client.patch(kind, name, patch);
    },
    delete: async (kind, name, options) => {
      assertMayWrite();
      await client.delete(kind, name, options);
    },
  };
}
