import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";

/** A namespace: a scope for names. */
export interface Namespace extends KubernetesObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: "Active" | "Terminating" };
}

/** A namespace: a scope for names. */
export const Namespace = builtInKind<Namespace>({
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
  subresources: ["status", "finalize"],
});
