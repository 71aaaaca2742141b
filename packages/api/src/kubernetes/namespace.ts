import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";

/** A namespace: the room that names are unique in. */
export interface Namespace extends KubernetesObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: "Active" | "Terminating" };
}

/** A namespace: the room that names are unique in. */
export const Namespace = builtInKind<Namespace>({
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
  subresources: ["status", "finalize"],
});
