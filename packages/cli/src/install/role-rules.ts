import { Event, Lease, Namespace, Secret } from "@capstan/api";
import { CERTIFICATE_SECRET, CONTROLLERS, type PolicyRule, WEBHOOK_CONFIGURATION } from "@capstan/manager";
import { LEASE } from "./names.ts";

/** A rule as a role has it, perhaps for single objects only. */
export interface RoleRule extends PolicyRule {
  readonly resourceNames?: readonly string[];
}

/** What the manager does in the whole cluster beside the work of its controllers. */
const EVERYWHERE: readonly PolicyRule[] = [
  // It tells users what it does.
  { apiGroups: [Event.group], resources: [Event.plural], verbs: ["get", "create", "patch"] },
  // An identity says by their labels which namespaces may use it.
  { apiGroups: [Namespace.group], resources: [Namespace.plural], verbs: ["get"] },
  // It looks for other providers before it starts: for their definitions and their Leases.
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list"] },
  { apiGroups: [Lease.group], resources: [Lease.plural], verbs: ["list"] },
];

/** What it does to single objects of the whole cluster: it tells kube-apiserver whom to trust at its webhooks. */
const WEBHOOK_RULES: readonly RoleRule[] = [
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    resourceNames: [WEBHOOK_CONFIGURATION],
    verbs: ["get", "patch"],
  },
];

/** What it does in its own namespace. Who may create an object cannot be asked for its name. */
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

/** What the manager does in the whole cluster: what its controllers declare, and its own part. */
export function clusterRules(): readonly RoleRule[] {
  return [...merged([...CONTROLLERS.flatMap(({ rbac }) => rbac), ...EVERYWHERE]), ...WEBHOOK_RULES];
}

// The order in which people read them.
const VERBS = ["get", "list", "watch", "create", "update", "patch", "delete"];

/** The same permissions with each resource named once: what several rules allow is added up. */
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
