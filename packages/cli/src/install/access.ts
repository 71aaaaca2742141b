import { Machine } from "@capstan/api";
import { inNamespace, LABELS, MANAGER, type Manifest, NAMESPACE, type Selection } from "./names.ts";
import { clusterRules, NAMESPACE_RULES } from "./role-rules.ts";

const RBAC = "rbac.authorization.k8s.io";
const VERSION = `${RBAC}/v1`;
/** Aggregates the permissions that other Cluster API providers grant to its controllers for their kinds. */
const PROVIDERS = "capstan-providers";

/** The manager's ServiceAccount, and its permissions. */
export function accessObjects(selection: Selection): readonly Manifest[] {
  const everywhere = { name: MANAGER, labels: LABELS };
  // Only these controllers act on kinds of other providers.
  const isCore = selection.kinds.includes(Machine);
  const providers = providerObjects();
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: inNamespace(MANAGER) },
    { apiVersion: VERSION, kind: "ClusterRole", metadata: everywhere, rules: clusterRules(selection) },
    ...(isCore ? [providers.role] : []),
    {
      apiVersion: VERSION,
      kind: "ClusterRoleBinding",
      metadata: everywhere,
      ...grant("ClusterRole", MANAGER),
    },
    ...(isCore ? [providers.binding] : []),
    { apiVersion: VERSION, kind: "Role", metadata: inNamespace(MANAGER), rules: NAMESPACE_RULES },
    { apiVersion: VERSION, kind: "RoleBinding", metadata: inNamespace(MANAGER), ...grant("Role", MANAGER) },
  ];
}

function providerObjects(): { readonly role: Manifest; readonly binding: Manifest } {
  const metadata = { name: PROVIDERS, labels: LABELS };
  const clusterRoleSelectors = [{ matchLabels: { "cluster.x-k8s.io/aggregate-to-manager": "true" } }];
  return {
    role: {
      apiVersion: VERSION,
      kind: "ClusterRole",
      metadata,
      aggregationRule: { clusterRoleSelectors },
    },
    binding: {
      apiVersion: VERSION,
      kind: "ClusterRoleBinding",
      metadata,
      ...grant("ClusterRole", PROVIDERS),
    },
  };
}

/** The fields of a binding beside its name. */
function grant(kind: string, name: string): Readonly<Record<string, unknown>> {
  return {
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: [{ kind: "ServiceAccount", name: MANAGER, namespace: NAMESPACE }],
  };
}
