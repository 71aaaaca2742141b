import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";

/** Confidential values. */
export interface Secret extends KubernetesObject {
  type?: string;
  immutable?: boolean;
  /** Values in base64. */
  data?: Record<string, string>;
  /** Values in plain text, for writing only: the server converts them to `data`. */
  stringData?: Record<string, string>;
}

/** Confidential values. */
export const Secret = builtInKind<Secret>({
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
});
