import { digest } from "../../azure/operations/wanted.ts";
import { hashedModel, type ModelFacts } from "./wanted-model.ts";

/** One way to tell models apart. */
export interface HashFunction {
  readonly version: string;
  readonly hash: (facts: ModelFacts) => string;
}

/**
 * All ways, the newest last. Hashes of each are in use: a release that builds profiles otherwise adds a way, and the old
 * ones go on building theirs, or it would replace every machine of every pool.
 */
export const HASH_FUNCTIONS: readonly HashFunction[] = [
  { version: "v1", hash: (facts) => digest(hashedModel(facts)) },
];

/** A wanted model by all its names. */
export interface WantedHash {
  /** By the newest way: what is stamped from now on. */
  readonly hash: string;
  /** By every way: a stamp of an older release that says the same is no reason to replace anything. */
  readonly names: ReadonlySet<string>;
}

/** The names of the model that a pool wants: each its version and its hash. */
export function wantedHashOf(
  facts: ModelFacts,
  functions: readonly HashFunction[] = HASH_FUNCTIONS,
): WantedHash {
  const names = functions.map(({ version, hash }) => `${version}-${hash(facts)}`);
  return { hash: names.at(-1) ?? "", names: new Set(names) };
}

/** The newest name of a stamped model, if it is the wanted one by any name; else the stamp as it is. */
export function currentName(stamp: string, { hash, names }: WantedHash): string {
  return names.has(stamp) ? hash : stamp;
}
