import { Event, Lease, Namespace, Secret } from "@capstan/api";
import { CERTIFICATE_SECRET, CONTROLLERS, type PolicyRule, WEBHOOK_CONFIGURATION } from "@capstan/manager";
import { LEASE } from "./names.ts";

/** A rule of a role, possibly for single objects only. */
export interface RoleRule extends PolicyRule {
  readonly resourceNames?: readonly string[];
}

/** Permissions in the whole cluster, beside those of the controllers. */
const EVERYWHERE: readonly PolicyRule[] = [
  // It records events.
  { apiGroups: [Event.group], resources: [Event.plural], verbs: ["get", "create", "patch"] },
  // An identity selects the namespaces that may use it by their labels.
  { apiGroups: [Namespace.group], resources: [Namespace.plural], verbs: ["get"] },
  // It looks for the CRDs and Leases of other providers before it starts.
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list"] },
  { apiGroups: [Lease.group], resources: [Lease.plural], verbs: ["list"] },
];

/** Permissions for single objects of the whole cluster: the manager writes the CA bundle of its webhooks. */
const WEBHOOK_RULES: readonly RoleRule[] = [
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    resourceNames: [WEBHOOK_CONFIGURATION],
    verbs: ["get", "patch"],
  },
];

/** Permissions in its own namespace. RBAC cannot restrict create by name. */
export const NAMESPACE_RULES: readonly RoleRule[] = [
  { apiGroups: [Lease.group], resources: [Lease.plural], verbs: ["create"] },
  {
    apiGroups: [Lease.group],
    resources: [Lease.plural],
    resourceNames: [LEASE],
    verbs: ["get", "update"],
  },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["create"] },
  {
    apiGroups: [Secret.group],
    resources: [Secret.plural],
    resourceNames: [CERTIFICATE_SECRET],
    verbs: ["get", "update"],
  },
];

/** Permissions in the whole cluster: those that the controllers declare, and the manager's own. */
export function clusterRules(): readonly RoleRule[] {
  return [...merged([...CONTROLLERS.flatMap(({ rbac }) => rbac), ...EVERYWHERE]), ...WEBHOOK_RULES];
}

// The conventional order of verbs.
const VERBS = ["get", "list", "watch", "create", "update", "patch", "delete"];

/** The same permissions with each resource named once; the verbs of several rules are united. */
export function merged(rules: readonly PolicyRule[]): readonly RoleRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const { apiGroups, resources, verbs } of rules) {
    for (const path of apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`))) {
      verbsOf.set(path, new Set([...(verbsOf.get(path) ?? []), ...verbs]));
    }
  }
  const paths = [...verbsOf.keys()].sort();
  const alike = Map.groupBy(paths, (path) => {
    const verbs = [...(verbsOf.get(path) ?? [])];
    verbs.sort((left, right) => VERBS.indexOf(left) - VERBS.indexOf(right));
    return `${groupOf(path)}/${verbs.join()}`;
  });
  return [...alike].map(([key, some]) => {
    const group = groupOf(key);
    const afterGroup = (text: string): string => text.slice(group.length + 1);
    return { apiGroups: [group], resources: some.map(afterGroup), verbs: afterGroup(key).split(",") };
  });
}

function groupOf(path: string): string {
  return path.slice(0, path.indexOf("/"));
}
