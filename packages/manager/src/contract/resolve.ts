import type { Frozen, KubernetesObject } from "@capstan/api";
import { type Context, isNotServed } from "@capstan/runtime";
import type { ContractObject } from "./contract-object.ts";
import { forgetVersion } from "./kind-version.ts";
import { type Pointer, type Target, targetOf } from "./reference.ts";

/** The result of resolving a reference. */
export type ResolvedReference = {
  readonly target: Target;
  /** Whether the cache follows the kind. Until it does, the owner has to poll. */
  readonly isFollowed: boolean;
} & (
  | { readonly state: "found"; readonly object: Frozen<ContractObject> }
  | { readonly state: "missing" }
  /** The server does not serve the kind, so there can be no object of it. */
  | { readonly state: "notServed" }
);

/** A reference to an object that exists. */
export type FoundReference = ResolvedReference & { readonly state: "found" };

/** The parts of a pass that resolving a reference needs. */
export type ObjectReader = Pick<Context<KubernetesObject>, "cache" | "client" | "watch">;

/** Reads the object that a reference names: from the cache if it follows the kind, else from the server. */
export async function resolve(reader: ObjectReader, pointer: Pointer): Promise<ResolvedReference> {
  const target = await targetOf(reader.client, pointer);
  const isFollowed = reader.watch(target.kind);
  const seen = { target, isFollowed };
  try {
    const object = isFollowed
      ? reader.cache.get(target.kind, target.name)
      : await reader.client.find(target.kind, target.name);
    return object ? { ...seen, state: "found", object } : { ...seen, state: "missing" };
  } catch (error) {
    if (!isNotServed(error)) throw error;
    forgetVersion(reader.client, target.kind);
    return { ...seen, state: "notServed" };
  }
}

/** Why the object is missing, for messages. */
export function absence({ state, target }: ResolvedReference): string {
  return state === "notServed"
    ? `${target.kind.apiVersion} ${target.kind.kind} is not served; is its CustomResourceDefinition installed?`
    : `${target.text} does not exist yet`;
}

/** Which references of an object, by their names in a scope, were looked up and lead to no object. */
export function missingReferences<Name extends string>(
  resolved: { readonly [N in Name]?: ResolvedReference | undefined } | undefined,
  names: readonly Name[],
): readonly Name[] {
  return names.filter((name) => resolved?.[name] !== undefined && resolved[name].state !== "found");
}
