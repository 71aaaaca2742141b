import type { Transport } from "@capstan/env";

/** The part of aggregated discovery that says what can be listed. */
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
// The same objects are also served in the core group.
const TWIN_GROUP = "events.k8s.io";

/** How many objects a cluster holds. One request for each kind: a page of one object says how many more there are. */
export async function countObjects(transport: Transport, signal?: AbortSignal): Promise<number> {
  const read = async (path: string, headers = {}): Promise<unknown> => {
    const answer = await transport.request({ method: "GET", path, headers, ...(signal && { signal }) });
    return answer.json();
  };
  const paths = new Map<string, string>();
  for (const root of ["/api", "/apis"]) {
    for (const [kind, path] of collections(root, (await read(root, { accept: AGGREGATED })) as Discovery)) {
      // Further versions of a kind show the same objects again.
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
