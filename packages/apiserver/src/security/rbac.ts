import type { BindingObject, Frozen, PolicyRule, RoleObject, Subject } from "@capstan/api";
import type { Attributes, PathAttributes, ResourceAttributes, User } from "./attributes.ts";

/** Where the rules are read from. */
export interface PolicySource {
  clusterRole(name: string): Frozen<RoleObject> | undefined;
  role(name: string, namespace: string): Frozen<RoleObject> | undefined;
  clusterRoleBindings(): Iterable<Frozen<BindingObject>>;
  roleBindings(namespace: string): Iterable<Frozen<BindingObject>>;
}

// Members of this group may do everything, and no rule can change that, so that administrators cannot lock themselves
// out.
const MASTERS = "system:masters";

/** Whether the rules allow an action. There are no denials: what no rule allows is forbidden. */
export function isAllowed(policy: PolicySource, user: User, attributes: Attributes): boolean {
  return allowance(policy, user, attributes) !== undefined;
}

/** The rule that allows an action, in kube-apiserver's words; undefined if there is none. */
export function allowance(policy: PolicySource, user: User, attributes: Attributes): string | undefined {
  if (user.groups.includes(MASTERS)) return "";
  for (const grant of grantsTo(policy, user, "namespace" in attributes ? attributes.namespace : "")) {
    const { rule } = grant;
    if ("path" in attributes ? allowsPath(rule, attributes) : allowsResource(rule, attributes))
      return `RBAC: allowed by ${describeGrant(grant)}`;
  }
  return undefined;
}

/** All rules of the user in a namespace, or for the cluster scope. */
export function rulesOfUser(policy: PolicySource, user: User, namespace: string): Frozen<PolicyRule>[] {
  const everything = user.groups.includes(MASTERS) ? EVERYTHING : [];
  return [...everything, ...Array.from(grantsTo(policy, user, namespace), ({ rule }) => rule)];
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** The rules of the role of a binding. */
export function rulesOfBinding(
  policy: PolicySource,
  { roleRef }: Frozen<Pick<BindingObject, "roleRef">>,
  namespace: string,
): readonly Frozen<PolicyRule>[] | undefined {
  const role =
    roleRef.kind === "ClusterRole" ? policy.clusterRole(roleRef.name) : policy.role(roleRef.name, namespace);
  return role && (role.rules ?? []);
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

/** A rule, and the binding that grants it. */
interface Grant {
  readonly rule: Frozen<PolicyRule>;
  readonly binding: Frozen<BindingObject>;
  readonly subject: Frozen<Subject>;
}

/** A binding in a namespace may grant a Role of that namespace, or a ClusterRole within it. */
function* grantsTo(policy: PolicySource, user: User, namespace: string): Generator<Grant> {
  yield* grantsBy(policy, policy.clusterRoleBindings(), user);
  if (namespace !== "") yield* grantsBy(policy, policy.roleBindings(namespace), user);
}

function* grantsBy(
  policy: PolicySource,
  bindings: Iterable<Frozen<BindingObject>>,
  user: User,
): Generator<Grant> {
  for (const binding of bindings) {
    const { namespace = "" } = binding.metadata;
    const subject = binding.subjects?.find((one) => isSubject(one, user, namespace));
    if (!subject) continue;
    for (const rule of rulesOfBinding(policy, binding, namespace) ?? []) yield { rule, binding, subject };
  }
}

function describeGrant({ binding: { metadata, roleRef }, subject }: Grant): string {
  const { name, namespace } = metadata;
  const home = subject.kind === "ServiceAccount" ? `/${subject.namespace ?? namespace ?? ""}` : "";
  const who = `${subject.kind} ${JSON.stringify(`${subject.name}${home}`)}`;
  const by = namespace === undefined ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
  return `${by} of ${roleRef.kind} "${roleRef.name}" to ${who}`;
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

/** `pods` means the objects only; a subresource is named in full, or for every kind: `*` + `/status`. */
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
