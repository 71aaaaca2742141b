import type { BindingObject, Frozen, PolicyRule, RoleObject, Subject } from "@capstan/api";
import type { Attributes, PathAttributes, ResourceAttributes, User } from "./attributes.ts";

/** Where the rules are read from. */
export interface PolicySource {
  clusterRole(name: string): Frozen<RoleObject> | undefined;
  role(name: string, namespace: string): Frozen<RoleObject> | undefined;
  clusterRoleBindings(): Iterable<Frozen<BindingObject>>;
  roleBindings(namespace: string): Iterable<Frozen<BindingObject>>;
}

// Whoever is in this group may do everything, and no rule can take that away: the way back in.
const MASTERS = "system:masters";

/** Whether the rules allow the user to do this. There are no denials: what no rule allows is forbidden. */
export function isAllowed(policy: PolicySource, user: User, attributes: Attributes): boolean {
  if (user.groups.includes(MASTERS)) return true;
  for (const rule of rulesFor(policy, user, "namespace" in attributes ? attributes.namespace : "")) {
    if ("path" in attributes ? allowsPath(rule, attributes) : allowsResource(rule, attributes)) return true;
  }
  return false;
}

/** The refusal, in kube-apiserver's words. */
export function refusal(user: User, attributes: Attributes): string {
  const who = `User ${JSON.stringify(user.name)}`;
  if ("path" in attributes)
    return `forbidden: ${who} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`;
  const { verb, group, resource, namespace, name } = attributes;
  const plural = resource.split("/")[0] ?? "";
  const qualified = group === "" ? plural : `${plural}.${group}`;
  const what = name === "" ? qualified : `${qualified} ${JSON.stringify(name)}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `${what} is forbidden: ${who} cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${where}`;
}

function* rulesFor(policy: PolicySource, user: User, namespace: string): Generator<Frozen<PolicyRule>> {
  for (const binding of policy.clusterRoleBindings()) {
    if (isBound(binding, user)) yield* rulesOf(policy.clusterRole(binding.roleRef.name));
  }
  if (namespace === "") return;
  for (const binding of policy.roleBindings(namespace)) {
    if (isBound(binding, user)) yield* rulesOf(grantedRole(policy, binding, namespace));
  }
}

/** A binding in a namespace may grant a role of that namespace, or lend a cluster's role to it. */
function grantedRole(
  policy: PolicySource,
  { roleRef }: Frozen<BindingObject>,
  namespace: string,
): Frozen<RoleObject> | undefined {
  return roleRef.kind === "ClusterRole"
    ? policy.clusterRole(roleRef.name)
    : policy.role(roleRef.name, namespace);
}

function rulesOf(role: Frozen<RoleObject> | undefined): readonly Frozen<PolicyRule>[] {
  return role?.rules ?? [];
}

function isBound({ subjects = [], metadata }: Frozen<BindingObject>, user: User): boolean {
  return subjects.some((subject) => isSubject(subject, user, metadata.namespace ?? ""));
}

function isSubject({ kind, name, namespace }: Frozen<Subject>, user: User, home: string): boolean {
  switch (kind) {
    case "User":
      return user.name === name;
    case "Group":
      return user.groups.includes(name);
    case "ServiceAccount":
      return user.name === `system:serviceaccount:${namespace ?? home}:${name}`;
  }
}

function allowsResource(rule: Frozen<PolicyRule>, wanted: ResourceAttributes): boolean {
  return (
    includes(rule.verbs, wanted.verb) &&
    includes(rule.apiGroups, wanted.group) &&
    includesResource(rule.resources ?? [], wanted.resource) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(wanted.name))
  );
}

/** `pods` means the objects alone; a subresource is named in full, or as the subresource of every kind: `*` + `/status`. */
function includesResource(allowed: readonly string[], resource: string): boolean {
  const subresource = resource.split("/")[1];
  return allowed.some(
    (name) => name === "*" || name === resource || (subresource !== undefined && name === `*/${subresource}`),
  );
}

function allowsPath(rule: Frozen<PolicyRule>, { verb, path }: PathAttributes): boolean {
  if (!includes(rule.verbs, verb)) return false;
  return (rule.nonResourceURLs ?? []).some(
    (url) => url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1))),
  );
}

function includes(allowed: readonly string[] | undefined, value: string): boolean {
  return allowed !== undefined && (allowed.includes("*") || allowed.includes(value));
}
