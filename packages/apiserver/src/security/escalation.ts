import { type BindingObject, deepEqual, type Frozen, type PolicyRule, type RoleObject } from "@capstan/api";
import { forbidden, notFound } from "../http/status.ts";
import type { Admission, AdmissionReview } from "../registry/admission.ts";
import type { StoredObject } from "../storage/storage.ts";
import type { User } from "./attributes.ts";
import { isAllowed, type PolicySource, rulesOfBinding, rulesOfUser } from "./rbac.ts";

const GROUP = "rbac.authorization.k8s.io";

/** Prevents privilege escalation: users cannot grant permissions that they do not have, by a role or by a binding. */
export function escalationGuard(policy: PolicySource): Admission {
  return {
    validate: (review) => {
      const { kind, operation, user, object, old } = review;
      if (kind.group !== GROUP || operation === "DELETE" || !object || changesNoRights(object, old))
        return {};
      const granted = kind.kind.endsWith("Binding")
        ? grantedByBinding(policy, review)
        : grantedByRole(policy, review);
      const missing = missingRules(rulesOfUser(policy, user, object.metadata.namespace ?? ""), granted);
      if (missing.length > 0)
        throw forbidden(kind, object.metadata.name, { why: refusalText(user, missing) });
      return {};
    },
  };
}

function changesNoRights(object: Readonly<Record<string, unknown>>, old: StoredObject | undefined): boolean {
  return (
    old !== undefined &&
    ["rules", "roleRef", "subjects"].every((field) => deepEqual(object[field], old[field]))
  );
}

/** A user who may `escalate` roles may write any. */
function grantedByRole(
  policy: PolicySource,
  { kind, user, object }: AdmissionReview,
): readonly Frozen<PolicyRule>[] {
  const role = object as unknown as Frozen<RoleObject>;
  const { name, namespace = "" } = role.metadata;
  const asked = { verb: "escalate", group: GROUP, version: "v1", resource: kind.plural, namespace, name };
  return isAllowed(policy, user, asked) ? [] : (role.rules ?? []);
}

/** A user who may `bind` a role may grant it without having its permissions. */
function grantedByBinding(
  policy: PolicySource,
  { user, object }: AdmissionReview,
): readonly Frozen<PolicyRule>[] {
  const binding = object as unknown as Frozen<BindingObject>;
  const { kind, name } = binding.roleRef;
  const { namespace = "" } = binding.metadata;
  const resource = kind === "ClusterRole" ? "clusterroles" : "roles";
  const asked = { verb: "bind", group: GROUP, version: "v1", resource, namespace, name };
  if (isAllowed(policy, user, asked)) return [];
  const rules = rulesOfBinding(policy, binding, namespace);
  if (!rules)
    throw notFound({ group: GROUP, plural: kind === "ClusterRole" ? "clusterroles" : "roles" }, name);
  return rules;
}

/** The rules of `wanted`, split into single permissions, that `held` does not include. */
function missingRules(
  held: readonly Frozen<PolicyRule>[],
  wanted: readonly Frozen<PolicyRule>[],
): PolicyRule[] {
  return wanted.flatMap(singleRights).filter((right) => !held.some((rule) => covers(rule, right)));
}

function singleRights(rule: Frozen<PolicyRule>): PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length > 0 ? resourceNames.map((name) => ({ resourceNames: [name] })) : [{}];
  return verbs.flatMap((verb) => [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((name) => ({ apiGroups: [group], resources: [resource], ...name, verbs: [verb] })),
      ),
    ),
    ...nonResourceURLs.map((url) => ({ nonResourceURLs: [url], verbs: [verb] })),
  ]);
}

function covers(rule: Frozen<PolicyRule>, right: PolicyRule): boolean {
  if (!includes(rule.verbs, right.verbs[0])) return false;
  const [url] = right.nonResourceURLs ?? [];
  if (url !== undefined) return (rule.nonResourceURLs ?? []).some((known) => coversUrl(known, url));
  return (
    includes(rule.apiGroups, right.apiGroups?.[0]) && coversResource(rule, right) && coversName(rule, right)
  );
}

function includes(all: readonly string[] | undefined, one: string | undefined): boolean {
  return one !== undefined && all !== undefined && (all.includes("*") || all.includes(one));
}

function coversResource({ resources }: Frozen<PolicyRule>, right: PolicyRule): boolean {
  const [resource = ""] = right.resources ?? [];
  return includes(resources, resource) || includes(resources, `*/${resource.split("/")[1]}`);
}

function coversName({ resourceNames = [] }: Frozen<PolicyRule>, right: PolicyRule): boolean {
  const [name] = right.resourceNames ?? [];
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
}

function coversUrl(known: string, url: string): boolean {
  return known === url || (known.endsWith("*") && url.startsWith(known.slice(0, -1)));
}

function refusalText({ name, groups }: User, missing: readonly PolicyRule[]): string {
  const lines = [...new Set(compacted(missing).map(ruleText))].sort();
  const held = groups.map((group) => JSON.stringify(group)).join(" ");
  return `user ${JSON.stringify(name)} (groups=[${held}]) is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`;
}

/** Permissions that differ only in their verb are shown as one. */
function compacted(rights: readonly PolicyRule[]): PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  for (const right of rights) {
    const { verbs, ...rest } = right;
    const known = merged.get(JSON.stringify(rest));
    merged.set(JSON.stringify(rest), known ? { ...known, verbs: [...known.verbs, ...verbs] } : right);
  }
  return [...merged.values()];
}

function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = {
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  };
  const texts = Object.entries(parts).flatMap(([name, values]) =>
    values ? [`${name}:[${values.map((value) => JSON.stringify(value)).join(" ")}]`] : [],
  );
  return `{${texts.join(", ")}}`;
}
