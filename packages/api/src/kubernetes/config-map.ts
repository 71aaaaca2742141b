import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";

/** Configuration values. */
export interface ConfigMap extends KubernetesObject {
  immutable?: boolean;
  data?: Record<string, string>;
  /** Values in base64. */
  binaryData?: Record<string, string>;
}

/** Configuration values. */
export const ConfigMap = builtInKind<ConfigMap>({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
});
