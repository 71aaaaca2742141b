import type { Frozen, Kind, KubernetesObject } from "@capstan/api";
import { type Context, Failure } from "@capstan/runtime";
import type { ContractObject } from "./contract-object.ts";
import { type Pointer, type Target, targetOf } from "./reference.ts";

/** What was found where a reference points to. */
export type ResolvedReference = {
  readonly target: Target;
  /** Whether its changes are told to us; what is not followed has to be looked at again and again. */
  readonly isFollowed: boolean;
} & (
  | { readonly state: "found"; readonly object: Frozen<ContractObject> }
  | { readonly state: "missing" }
  /** Nobody serves the kind, so there can be no object of it. */
  | { readonly state: "notServed" }
);

/** The ways to objects that a look needs. */
export type ObjectReader = Pick<Context<KubernetesObject>, "cache" | "client">;

/** Looks where a reference points to: into the cache for kinds that are followed, else at the server. */
export async function look(
  reader: ObjectReader,
  pointer: Pointer,
  followed: readonly Kind[],
): Promise<ResolvedReference> {
  const target = targetOf(pointer);
  const isFollowed = followed.includes(target.kind);
  const seen = { target, isFollowed };
  try {
    const object = isFollowed
      ? reader.cache.get(target.kind, target.name)
      : await reader.client.find(target.kind, target.name);
    return object ? { ...seen, state: "found", object } : { ...seen, state: "missing" };
  } catch (error) {
    if (error instanceof Failure && error.reason === "KindNotServed") return { ...seen, state: "notServed" };
    throw error;
  }
}

/** Why there is nothing to be seen, for people. */
export function absence({ state, target }: ResolvedReference): string {
  return state === "notServed"
    ? `Nobody serves ${target.kind.apiVersion} ${target.kind.kind}; is its CustomResourceDefinition installed?`
    : `${target.text} does not exist yet`;
}
