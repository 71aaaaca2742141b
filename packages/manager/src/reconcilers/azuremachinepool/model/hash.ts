import { digest } from "@capstan/azure";
import { hashedModel, type ModelFacts } from "./model.ts";

/** One version of the hash of a model. */
export interface HashFunction {
  readonly version: string;
  readonly hash: (facts: ModelFacts) => string;
}

/**
 * All versions, the newest last. Stamps of each are in use: a release that builds profiles differently adds a version and
 * keeps the old ones, or it would replace every machine of every pool.
 */
export const HASH_FUNCTIONS: readonly HashFunction[] = [
  { version: "v1", hash: (facts) => digest(hashedModel(facts)) },
];

/** The desired model under all versions of the hash. */
export interface DesiredHash {
  /** By the newest version: the stamp from now on. */
  readonly hash: string;
  /** By every version: an older stamp of the same model is not a reason to replace a machine. */
  readonly names: ReadonlySet<string>;
}

/** The stamps of the desired model of a pool, each with its version. */
export function desiredHashOf(
  facts: ModelFacts,
  functions: readonly HashFunction[] = HASH_FUNCTIONS,
): DesiredHash {
  const names = functions.map(({ version, hash }) => `${version}-${hash(facts)}`);
  return { hash: names.at(-1) ?? "", names: new Set(names) };
}

/** The newest stamp if the given one means the desired model in any version; else the given one. */
export function currentName(stamp: string, { hash, names }: DesiredHash): string {
  return names.has(stamp) ? hash : stamp;
}
