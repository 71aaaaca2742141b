import type { Transport } from "@capstan/env";

/** The part of aggregated discovery that lists the resources that can be listed. */
interface Discovery {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly { readonly resource: string; readonly verbs: readonly string[] }[];
    }[];
  }[];
}

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
// The API server also serves the same objects in the core group.
const TWIN_GROUP = "events.k8s.io";

/** Counts the objects of a cluster with one request per kind: a page of one object reports how many remain. */
export async function countObjects(transport: Transport, signal?: AbortSignal): Promise<number> {
  const read = async (path: string, headers = {}): Promise<unknown> => {
    const answer = await transport.request({ method: "GET", path, headers, ...(signal && { signal }) });
    return answer.json();
  };
  const paths = new Map<string, string>();
  for (const root of ["/api", "/apis"]) {
    for (const [kind, path] of collections(root, (await read(root, { accept: AGGREGATED })) as Discovery)) {
      // Other versions of a kind return the same objects.
      if (!paths.has(kind)) paths.set(kind, path);
    }
  }
  let count = 0;
  for (const path of paths.values()) {
    const { items, metadata } = (await read(`${path}?limit=1`)) as {
      items: readonly unknown[];
      metadata: { remainingItemCount?: number };
    };
    count += items.length + (metadata.remainingItemCount ?? 0);
  }
  return count;
}

function* collections(root: string, { items }: Discovery): Generator<readonly [kind: string, path: string]> {
  for (const { metadata, versions } of items) {
    const group = metadata?.name ?? "";
    if (group === TWIN_GROUP) continue;
    for (const { version, resources } of versions) {
      const base = group === "" ? `${root}/${version}` : `${root}/${group}/${version}`;
      for (const { resource } of resources.filter(({ verbs }) => verbs.includes("list")))
        yield [`${group}/${resource}`, `${base}/${resource}`];
    }
  }
}
