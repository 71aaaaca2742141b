import { customKinds } from "@capstan/api";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { keyOf, referencesIn } from "./touched-clusters.ts";

const KINDS = new Set(customKinds.map(({ kind }) => kind));

/** Objects that a fleet refers to, and that neither its dump nor the change has: a line each, with who refers to it. */
export function missingObjects(
  fleet: readonly GivenObject[],
  change: readonly GivenObject[],
): readonly string[] {
  const known = new Set([...fleet, ...change].map(keyOf));
  const missing = new Map<string, string>();
  for (const object of fleet) {
    for (const { kind, name, namespace = object.metadata.namespace } of referencesIn(object["spec"])) {
      const key = keyOf({ kind, metadata: { name, namespace } });
      if (!KINDS.has(kind) || known.has(key) || missing.has(key)) continue;
      missing.set(key, `${kind} ${namespace}/${name} is not in the dump, and ${titleOf(object)} needs it`);
    }
  }
  return [...missing.values()];
}

function titleOf({ kind, metadata }: GivenObject): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}
