import { CustomResourceDefinition } from "@capstan/api";
import type { Client, Logger } from "@capstan/runtime";
import { type Definition, type MigrationContext, type MigrationStep, planMigration } from "./plan.ts";
import { type Rewritten, rewriteObjects } from "./rewrite.ts";

/** Finds the CRDs that we have installed or taken over. */
export const OUR_DEFINITIONS = { labelSelector: "app.kubernetes.io/managed-by=capstan" } as const;

/** What a migration works with. */
export interface MigrationPorts {
  readonly client: Client;
  readonly log: Logger;
  /** Called after the objects of a CRD were written again. */
  readonly onRewritten?: (definition: string, rewritten: Rewritten) => void;
}

/**
 * Brings the stored objects of a CRD to its storage version, and records that. Returns false if something is left to do: the
 * server refuses an object, or another client changed the CRD meanwhile.
 */
export async function migrateDefinition(
  ports: MigrationPorts,
  { metadata: { name } }: Definition,
  context: MigrationContext = {},
): Promise<boolean> {
  // A live read: a cache may lag behind a change of the storage version.
  const definition = await ports.client.find(CustomResourceDefinition, { name });
  if (!definition) return true;
  for (const step of planMigration(definition, context)) {
    ports.log.info("Migrating stored objects", { customResourceDefinition: name, ...step });
    if (!(await carryOut(ports, definition, step))) return false;
  }
  return true;
}

async function carryOut(
  ports: MigrationPorts,
  definition: Definition,
  step: MigrationStep,
): Promise<boolean> {
  const { client, log, onRewritten } = ports;
  const { name } = definition.metadata;
  if (step.action === "prune") return prune(client, definition, step.storedVersions);
  const rewritten = await rewriteObjects(client, definition, step);
  onRewritten?.(name, rewritten);
  const { objects, refused } = rewritten;
  log.info("Stored objects are rewritten", { customResourceDefinition: name, objects });
  for (const { name: object, error } of refused)
    log.warn(
      "The server did not store an object again; if it refuses the object, correct it with kubectl edit",
      {
        customResourceDefinition: name,
        object,
        error,
      },
    );
  return refused.length === 0;
}

/** Records the stored versions, unless the CRD has changed since its objects were written again. */
async function prune(
  client: Client,
  planned: Definition,
  storedVersions: readonly string[],
): Promise<boolean> {
  const { name } = planned.metadata;
  const current = await client.find(CustomResourceDefinition, { name });
  if (!current) return true;
  const { uid, generation, resourceVersion } = current.metadata;
  // After another change of the storage version, objects may have been stored in yet another one.
  if (uid !== planned.metadata.uid || generation !== planned.metadata.generation) return false;
  await client.patch(
    CustomResourceDefinition,
    { name },
    {
      type: "merge",
      subresource: "status",
      body: { metadata: { resourceVersion }, status: { storedVersions } },
    },
  );
  return true;
}

/** Migrates all of our CRDs once, in a process that is the only one. Returns the names of those with something left to do. */
export async function migrateStoredVersions(ports: MigrationPorts): Promise<readonly string[]> {
  const left: string[] = [];
  for (const definition of await ports.client.list(CustomResourceDefinition, OUR_DEFINITIONS)) {
    const isDone = planMigration(definition).length === 0 || (await migrateDefinition(ports, definition));
    if (!isDone) left.push(definition.metadata.name);
  }
  return left;
}
