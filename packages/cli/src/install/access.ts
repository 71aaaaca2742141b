import { inNamespace, LABELS, MANAGER, type Manifest, NAMESPACE } from "./names.ts";
import { clusterRules, NAMESPACE_RULES } from "./role-rules.ts";

const RBAC = "rbac.authorization.k8s.io";
const VERSION = `${RBAC}/v1`;
/** Aggregates the permissions that other Cluster API providers grant to its controllers for their kinds. */
const PROVIDERS = "capstan-providers";

/** The manager's ServiceAccount, and its permissions. */
export function accessObjects(): readonly Manifest[] {
  const everywhere = { name: MANAGER, labels: LABELS };
  const providers = { name: PROVIDERS, labels: LABELS };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: inNamespace(MANAGER) },
    { apiVersion: VERSION, kind: "ClusterRole", metadata: everywhere, rules: clusterRules() },
    {
      apiVersion: VERSION,
      kind: "ClusterRole",
      metadata: providers,
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { "cluster.x-k8s.io/aggregate-to-manager": "true" } }],
      },
    },
    {
      apiVersion: VERSION,
      kind: "ClusterRoleBinding",
      metadata: everywhere,
      ...grant("ClusterRole", MANAGER),
    },
    {
      apiVersion: VERSION,
      kind: "ClusterRoleBinding",
      metadata: providers,
      ...grant("ClusterRole", PROVIDERS),
    },
    { apiVersion: VERSION, kind: "Role", metadata: inNamespace(MANAGER), rules: NAMESPACE_RULES },
    { apiVersion: VERSION, kind: "RoleBinding", metadata: inNamespace(MANAGER), ...grant("Role", MANAGER) },
  ];
}

/** The fields of a binding beside its name. */
function grant(kind: string, name: string): Readonly<Record<string, unknown>> {
  return {
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: [{ kind: "ServiceAccount", name: MANAGER, namespace: NAMESPACE }],
  };
}
