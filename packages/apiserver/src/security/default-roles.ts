import {
  type BindingObject,
  ClusterRole,
  ClusterRoleBinding,
  type KubernetesObject,
  type PolicyRule,
  type RoleObject,
} from "@capstan/api";

const READ = ["get", "list", "watch"];
const WRITE = ["create", "delete", "deletecollection", "patch", "update"];

const on = (verbs: string[], group: string, ...resources: string[]): PolicyRule => ({
  verbs,
  apiGroups: [group],
  resources,
});

const VIEW: PolicyRule[] = [
  on(READ, "", "configmaps", "pods", "pods/status", "serviceaccounts", "services", "services/status"),
  on(READ, "", "events", "namespaces", "namespaces/status"),
  on(READ, "apps", "daemonsets", "deployments", "deployments/scale", "replicasets", "replicasets/scale"),
  on(READ, "apps", "statefulsets", "statefulsets/scale"),
  on(READ, "batch", "jobs"),
  on(READ, "policy", "poddisruptionbudgets"),
];

const EDIT: PolicyRule[] = [
  on(READ, "", "secrets"),
  on(WRITE, "", "configmaps", "events", "pods", "secrets", "serviceaccounts", "services"),
  on(["create"], "", "pods/eviction", "serviceaccounts/token"),
  on(["impersonate"], "", "serviceaccounts"),
  on(WRITE, "apps", "daemonsets", "deployments", "deployments/scale", "replicasets", "replicasets/scale"),
  on(WRITE, "apps", "statefulsets", "statefulsets/scale"),
  on(WRITE, "batch", "jobs"),
  on(WRITE, "policy", "poddisruptionbudgets"),
  on([...READ, ...WRITE], "coordination.k8s.io", "leases"),
];

const ADMIN: PolicyRule[] = [
  on(["create"], "authorization.k8s.io", "localsubjectaccessreviews"),
  on([...READ, ...WRITE], "rbac.authorization.k8s.io", "rolebindings", "roles"),
];

const PROBES = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

const ROLES: Readonly<Record<string, PolicyRule[]>> = {
  "cluster-admin": [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
  admin: [...ADMIN, ...EDIT, ...VIEW],
  edit: [...EDIT, ...VIEW],
  view: VIEW,
  "system:discovery": [
    {
      verbs: ["get"],
      nonResourceURLs: [...PROBES, "/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"],
    },
  ],
  "system:public-info-viewer": [{ verbs: ["get"], nonResourceURLs: PROBES }],
  "system:basic-user": [
    on(["create"], "authorization.k8s.io", "selfsubjectaccessreviews", "selfsubjectrulesreviews"),
    on(["create"], "authentication.k8s.io", "selfsubjectreviews"),
  ],
};

const BINDINGS: Readonly<Record<string, string>> = {
  "cluster-admin": "system:masters",
  "system:discovery": "system:authenticated",
  "system:public-info-viewer": "system:authenticated",
  "system:basic-user": "system:authenticated",
};

const LABELS = { "kubernetes.io/bootstrapping": "rbac-defaults" };

/** The roles and bindings that every cluster has. Without these an authorized user could not even use kubectl. */
export function defaultRoles(): KubernetesObject[] {
  const roles = Object.entries(ROLES).map(([name, rules]): RoleObject => {
    const { apiVersion, kind } = ClusterRole;
    return { apiVersion, kind, metadata: { name, labels: { ...LABELS } }, rules: structuredClone(rules) };
  });
  const bindings = Object.entries(BINDINGS).map(([name, group]): BindingObject => {
    const { apiVersion, kind } = ClusterRoleBinding;
    const apiGroup = ClusterRole.group;
    return {
      apiVersion,
      kind,
      metadata: { name, labels: { ...LABELS } },
      roleRef: { apiGroup, kind: "ClusterRole", name },
      subjects: [{ apiGroup, kind: "Group", name: group }],
    };
  });
  return [...roles, ...bindings];
}
