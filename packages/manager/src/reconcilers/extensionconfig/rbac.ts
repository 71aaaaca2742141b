import { ExtensionConfig, Secret } from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the ExtensionConfig reconciler. */
export const extensionConfigRbac: readonly PolicyRule[] = [
  {
    apiGroups: [ExtensionConfig.group],
    resources: [ExtensionConfig.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  { apiGroups: [ExtensionConfig.group], resources: [`${ExtensionConfig.plural}/status`], verbs: ["patch"] },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
];
