import { deepEqual, dns1123SubdomainProblems } from "@capstan/api";
import { type FieldProblem, invalidValue, requiredValue, unsupportedValue } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { pathSegmentProblems } from "../../schema/object-meta.ts";
import { type Fields, objectIn, objectsIn, textIn } from "../fields.ts";
import { choiceProblems, formProblems, invalidStruct, presence, selectorProblems } from "./checks.ts";

const GROUP = "rbac.authorization.k8s.io";

/** Validates a Role. */
export function roleProblems(draft: Draft): FieldProblem[] {
  return objectsIn(draft, "rules").flatMap((rule, index) => ruleProblems(`rules[${index}]`, rule, true));
}

/** Validates a ClusterRole. */
export function clusterRoleProblems(draft: Draft): FieldProblem[] {
  const aggregation = draft["aggregationRule"] as Fields | undefined;
  return [
    ...objectsIn(draft, "rules").flatMap((rule, index) => ruleProblems(`rules[${index}]`, rule, false)),
    ...(aggregation ? aggregationProblems(aggregation) : []),
  ];
}

function aggregationProblems(aggregation: Fields): FieldProblem[] {
  const at = "aggregationRule.clusterRoleSelectors";
  const selectors = objectsIn(aggregation, "clusterRoleSelectors");
  if (selectors.length === 0)
    return [requiredValue(at, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  return selectors.flatMap((selector, index) => selectorProblems(`${at}[${index}]`, selector));
}

function ruleProblems(at: string, rule: Fields, isNamespaced: boolean): FieldProblem[] {
  const count = (name: string): number => ((rule[name] ?? []) as readonly string[]).length;
  const verbs =
    count("verbs") === 0 ? [requiredValue(`${at}.verbs`, "verbs must contain at least one value")] : [];
  if (count("nonResourceURLs") > 0) {
    const why = urlProblem(isNamespaced, count("apiGroups") + count("resources") + count("resourceNames"));
    return why === undefined
      ? verbs
      : [...verbs, invalidValue(`${at}.nonResourceURLs`, rule["nonResourceURLs"], why)];
  }
  return [
    ...verbs,
    ...(count("apiGroups") === 0
      ? [requiredValue(`${at}.apiGroups`, "resource rules must supply at least one api group")]
      : []),
    ...(count("resources") === 0
      ? [requiredValue(`${at}.resources`, "resource rules must supply at least one resource")]
      : []),
  ];
}

function urlProblem(isNamespaced: boolean, resources: number): string | undefined {
  if (isNamespaced) return "namespaced rules cannot apply to non-resource URLs";
  return resources > 0 ? "rules cannot apply to both regular resources and non-resource URLs" : undefined;
}

/** Validates a RoleBinding. */
export function roleBindingProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  return bindingProblems(draft, old, { kinds: ["Role", "ClusterRole"], isNamespaced: true });
}

/** Validates a ClusterRoleBinding. */
export function clusterRoleBindingProblems(draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  return bindingProblems(draft, old, { kinds: ["ClusterRole"], isNamespaced: false });
}

function bindingProblems(
  draft: Draft,
  old: StoredObject | undefined,
  { kinds, isNamespaced }: { readonly kinds: readonly string[]; readonly isNamespaced: boolean },
): FieldProblem[] {
  const role = objectIn(draft, "roleRef");
  return [
    ...choiceProblems("roleRef.apiGroup", textIn(role, "apiGroup"), [GROUP]),
    ...choiceProblems("roleRef.kind", textIn(role, "kind"), kinds),
    ...(textIn(role, "name") === ""
      ? [requiredValue("roleRef.name")]
      : formProblems("roleRef.name", textIn(role, "name"), pathSegmentProblems)),
    ...objectsIn(draft, "subjects").flatMap((subject, index) =>
      subjectProblems(`subjects[${index}]`, subject, isNamespaced),
    ),
    ...(old && !deepEqual(role, old["roleRef"]) ? [roleChange(role)] : []),
  ];
}

function roleChange(role: Fields): FieldProblem {
  const shown = {
    APIGroup: textIn(role, "apiGroup"),
    Kind: textIn(role, "kind"),
    Name: textIn(role, "name"),
  };
  return invalidStruct("roleRef", shown, "cannot change roleRef");
}

function subjectProblems(at: string, subject: Fields, isNamespaced: boolean): FieldProblem[] {
  const name = textIn(subject, "name");
  return [...presence(`${at}.name`, name), ...subjectKindProblems(at, subject, isNamespaced)];
}

function subjectKindProblems(at: string, subject: Fields, isNamespaced: boolean): FieldProblem[] {
  const [kind, name, group] = [textIn(subject, "kind"), textIn(subject, "name"), textIn(subject, "apiGroup")];
  if (kind === "User" || kind === "Group") return choiceProblems(`${at}.apiGroup`, group, [GROUP]);
  if (kind !== "ServiceAccount")
    return [unsupportedValue(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  return [
    ...(name === "" ? [] : formProblems(`${at}.name`, name, dns1123SubdomainProblems)),
    ...choiceProblems(`${at}.apiGroup`, group, [""]),
    ...(!isNamespaced && textIn(subject, "namespace") === "" ? [requiredValue(`${at}.namespace`)] : []),
  ];
}
