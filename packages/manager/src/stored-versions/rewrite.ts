import { builtInKind, type Frozen, type Kind, type KubernetesObject } from "@capstan/api";
import { type Client, Failure, isConflict, isNotFound } from "@capstan/runtime";
import { type Definition, keptOwners, type MigrationStep } from "./plan.ts";

/** How many objects were written again, and those that the server did not accept. */
export interface Rewritten {
  readonly objects: number;
  readonly refused: readonly { readonly name: string; readonly error: unknown }[];
}

// One page is in memory at a time; a hundred objects of the largest kinds have about a megabyte.
const PAGE_SIZE = 100;

/** The kind of a CRD in one of its versions. */
function kindIn({ spec }: Definition, version: string): Kind {
  const { group, names, scope } = spec;
  const { kind, plural } = names;
  return builtInKind({ group, version, kind, plural, namespaced: scope === "Namespaced" });
}

/**
 * Writes each object of a CRD again. A patch that changes nothing is enough: the server stores the object in the storage
 * version if it is not yet, and writes nothing otherwise.
 */
export async function rewriteObjects(
  client: Pick<Client, "page" | "patch">,
  definition: Definition,
  step: MigrationStep & { readonly action: "rewrite" },
): Promise<Rewritten> {
  const kind = kindIn(definition, step.version);
  const refused: { name: string; error: unknown }[] = [];
  let objects = 0;
  let next: string | undefined;
  do {
    const page = await client.page(kind, { limit: PAGE_SIZE, continue: next });
    for (const object of page.items) {
      const error = await rewrite(client, { kind, object, step });
      if (error) refused.push({ name: nameOf(object), error: error.cause });
      objects++;
    }
    next = page.continue;
  } while (next !== undefined);
  return { objects, refused };
}

interface ObjectToRewrite {
  readonly kind: Kind;
  readonly object: Frozen<KubernetesObject>;
  readonly step: MigrationStep & { readonly action: "rewrite" };
}

/** Writes one object again; returns why the server did not accept that, if the object itself is the reason. */
async function rewrite(
  client: Pick<Client, "patch">,
  { kind, object, step }: ObjectToRewrite,
): Promise<{ readonly cause: unknown } | undefined> {
  try {
    await client.patch(kind, object.metadata, { type: "merge", body: bodyFor(kind, object, step) });
    return undefined;
  } catch (error) {
    // A deleted object needs no version.
    if (isNotFound(error)) return undefined;
    // After another client's write the owners are read again in the next round.
    if (isConflict(error) || isRefusal(error)) return { cause: error };
    throw error;
  }
}

/** An empty patch, or one that removes owners. That one is for exactly this state, because it replaces the whole list. */
function bodyFor(kind: Kind, { metadata }: Frozen<KubernetesObject>, step: ObjectToRewrite["step"]): object {
  const { version, servedVersions } = step;
  const owners = keptOwners(metadata.managedFields, { group: kind.group, version, servedVersions });
  if (!owners) return {};
  return { metadata: { resourceVersion: metadata.resourceVersion, managedFields: owners } };
}

/** Whether the server refuses this object whatever is tried again: it has become invalid since it was stored. */
function isRefusal(error: unknown): boolean {
  return error instanceof Failure && error.failure === "Terminal";
}

function nameOf({ metadata: { namespace, name } }: Frozen<KubernetesObject>): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
