import { customKinds, type Kind, servedKind } from "@capstan/api";
import { builtInKinds } from "@capstan/apiserver";
import { suggestion } from "./near-names.ts";

const ALL: readonly Kind[] = [...customKinds, ...builtInKinds];
const NAMES: readonly string[] = [...new Set(ALL.map(({ kind }) => kind))];

/** A kind, or the problem to report for an unknown name. */
export type KindFound =
  | { readonly kind: Kind }
  | { readonly unknown: "kind" | "apiVersion"; readonly message: string };

/** Finds a kind by its name. */
export function kindNamed(name: string): KindFound {
  const kind = ALL.find((candidate) => candidate.kind === name);
  if (kind) return { kind };
  return { unknown: "kind", message: `unknown kind; ${suggestion({ written: name, known: NAMES })}` };
}

/** Finds the kind of an object by its apiVersion and kind. */
export function kindOfObject(apiVersion: string, name: string): KindFound {
  // The object may have another version than our controllers read.
  const custom = servedKind(apiVersion, name);
  if (custom) return { kind: custom };
  const builtIn = builtInKinds.find(
    (candidate) => candidate.kind === name && candidate.apiVersion === apiVersion,
  );
  if (builtIn) return { kind: builtIn };
  const found = kindNamed(name);
  if (!("kind" in found)) return found;
  const versions = ALL.filter(({ kind }) => kind === name).map((kind) => kind.apiVersion);
  return { unknown: "apiVersion", message: `${name} is served as ${versions.join(" or ")}` };
}
