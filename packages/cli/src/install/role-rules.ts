import { type CustomKind, CustomResourceDefinition, Event, Lease, Namespace, Secret } from "@capstan/api";
import { CERTIFICATE_SECRET, type PolicyRule, WEBHOOK_CONFIGURATION } from "@capstan/manager";
import { LEASE, type Selection } from "./names.ts";

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
  // It looks for the CRDs and Leases of other providers before it starts, and follows its own CRDs.
  {
    apiGroups: [CustomResourceDefinition.group],
    resources: [CustomResourceDefinition.plural],
    verbs: ["list", "watch"],
  },
  { apiGroups: [Lease.group], resources: [Lease.plural], verbs: ["list"] },
];

/** It writes objects again after a change of their stored version. */
function migrationRules(converted: readonly CustomKind[]): readonly PolicyRule[] {
  return converted.map(({ group, plural }) => ({
    apiGroups: [group],
    resources: [plural],
    verbs: ["list", "patch"],
  }));
}

/** Permissions for single objects of the whole cluster: the manager writes the CA bundle of its webhooks, and what is stored. */
function webhookRules(converted: readonly CustomKind[]): readonly RoleRule[] {
  return [
    {
      apiGroups: [CustomResourceDefinition.group],
      resources: [CustomResourceDefinition.plural],
      resourceNames: converted.map(definitionName),
      verbs: ["get", "patch"],
    },
    {
      apiGroups: [CustomResourceDefinition.group],
      resources: [`${CustomResourceDefinition.plural}/status`],
      resourceNames: converted.map(definitionName),
      verbs: ["patch"],
    },
    {
      apiGroups: ["admissionregistration.k8s.io"],
      resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
      resourceNames: [WEBHOOK_CONFIGURATION],
      verbs: ["get", "patch"],
    },
  ];
}

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
export function clusterRules({ controllers, kinds }: Selection): readonly RoleRule[] {
  // Objects of the others are stored in one version only.
  const converted = kinds.filter((kind) => kind.converted.length > 0);
  const rules = [...controllers.flatMap(({ rbac }) => rbac), ...EVERYWHERE, ...migrationRules(converted)];
  return [...merged(rules), ...webhookRules(converted)];
}

function definitionName({ plural, group }: CustomKind): string {
  return `${plural}.${group}`;
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
