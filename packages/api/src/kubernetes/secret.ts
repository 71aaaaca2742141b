import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";

/** Values that not everybody may read. */
export interface Secret extends KubernetesObject {
  type?: string;
  immutable?: boolean;
  /** Values in base64. */
  data?: Record<string, string>;
  /** Values in plain text, for writing only: the server turns them into `data`. */
  stringData?: Record<string, string>;
}

/** Values that not everybody may read. */
export const Secret = builtInKind<Secret>({
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
});
