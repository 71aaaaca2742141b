import type { Frozen, Kind, KubernetesObject } from "@capstan/api";
import { kindNamed } from "@capstan/manager";
import type { CacheReader, Client, ObjectName } from "@capstan/runtime";
import type { GivenObject } from "./read-objects.ts";
import { proposed } from "../planners/proposed-pools.ts";

/** Reads objects as they would be after a change, with the interface that controllers read through. */
export interface ProposedReader {
  readonly client: Client;
  readonly cache: CacheReader;
  readonly watch: (kind: Kind) => boolean;
}

/** What a reader has besides the server. */
interface ReaderObjects {
  readonly client: Client;
  /** Templates of the change. */
  readonly templates: readonly GivenObject[];
  /** Objects that were read from the server before; their kinds are complete. */
  readonly known: readonly Frozen<KubernetesObject>[];
}

/** The templates of a change come before those of the server; what is not known already is read when it is needed. */
export async function proposedReader({ client, templates, known }: ReaderObjects): Promise<ProposedReader> {
  const changed = new Map<string, Frozen<KubernetesObject>>();
  for (const template of templates) {
    const kind = kindNamed(template.apiVersion, template.kind);
    changed.set(keyOf(kind, template.metadata), (await proposed(client, kind, template)).after);
  }
  const objects = new Map(known.map((object) => [keyOf(object, object.metadata), object]));
  const kinds = new Set(known.map(({ kind }) => kind));
  const after = (kind: Kind, name: ObjectName): Frozen<KubernetesObject> | undefined =>
    changed.get(keyOf(kind, name));
  return {
    client: {
      ...client,
      find: async (kind, name) => (after(kind, name) as never) ?? (await client.find(kind, name)),
    },
    cache: {
      get: (kind, name) => objects.get(keyOf(kind, name)) as never,
      list: ({ kind }) => known.filter((object) => object.kind === kind) as never,
    },
    watch: ({ kind }) => kinds.has(kind),
  };
}

function keyOf(
  { apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">,
  { namespace = "", name }: ObjectName,
): string {
  return [apiVersion.split("/")[0], kind, namespace, name].join("/");
}
