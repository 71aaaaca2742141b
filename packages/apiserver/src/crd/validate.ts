import { dns1035LabelProblems, dns1123SubdomainProblems } from "@capstan/api";
import {
  type FieldProblem,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../schema/problem.ts";
import type { DefinitionNames, DefinitionSpec, DefinitionStatus, DefinitionVersion } from "./definition.ts";
import { versionsProblems } from "./version-problems.ts";

/** A definition as it would be stored. */
interface Subject {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: DefinitionSpec;
  readonly status: DefinitionStatus;
}

/**
 * Validates a definition, with kube-apiserver's messages. `converts` says whether this server converts between the
 * versions of the kind.
 */
export function definitionProblems(
  { annotations, spec, status }: Subject,
  converts: boolean,
): FieldProblem[] {
  const { names, group, versions } = spec;
  return [
    ...groupProblems(group),
    ...scopeProblems(spec.scope),
    ...versionsProblems(versions),
    ...["plural", "singular", "kind", "listKind"]
      .filter((field) => !names[field as keyof DefinitionNames])
      .map((field) => requiredValue(`spec.names.${field}`)),
    ...nameProblems(names, "spec.names"),
    ...conversionProblems(spec, converts),
    ...storedProblems(status.storedVersions, versions),
    ...approvalProblems(group, annotations),
    ...(spec.preserveUnknownFields === true
      ? [
          invalidValue(
            "spec.preserveUnknownFields",
            true,
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
          ),
        ]
      : []),
  ];
}

/** Checks that a definition is named after what it defines. */
export function definitionNameProblems(name: string, { names, group }: DefinitionSpec): FieldProblem[] {
  if (name === "" || name === `${names.plural}.${group}`) return [];
  return [invalidValue("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

/** Refuses changes of a definition that are not allowed: the storage of existing objects cannot change. */
export function definitionChangeProblems(
  spec: DefinitionSpec,
  old: DefinitionSpec,
  isEstablished: boolean,
): FieldProblem[] {
  const fixed: readonly (readonly [string, string, string])[] = [
    ["spec.group", spec.group, old.group],
    ["spec.names.plural", spec.names.plural, old.names.plural],
  ];
  const fixedLater: typeof fixed = [
    ["spec.scope", spec.scope, old.scope],
    ["spec.names.kind", spec.names.kind, old.names.kind],
  ];
  return [...(isEstablished ? fixedLater : []), ...fixed]
    .filter(([, now, before]) => now !== before)
    .map(([field, now]) => invalidValue(field, now, "field is immutable"));
}

function groupProblems(group: string): FieldProblem[] {
  const field = "spec.group";
  if (group === "") return [requiredValue(field)];
  const problems = dns1123SubdomainProblems(group);
  if (problems.length > 0) return [invalidValue(field, group, problems.join(","))];
  return group.includes(".") ? [] : [invalidValue(field, group, "should be a domain with at least one dot")];
}

const SCOPES = ["Cluster", "Namespaced"];

function scopeProblems(scope: string): FieldProblem[] {
  if (scope === "") return [requiredValue("spec.scope")];
  return SCOPES.includes(scope) ? [] : [unsupportedValue("spec.scope", scope, SCOPES)];
}

function nameProblems(names: DefinitionNames, path: string): FieldProblem[] {
  const { kind, listKind } = names;
  return [
    ...(["plural", "singular"] as const).flatMap((field) => labelProblems(names[field], `${path}.${field}`)),
    ...(["kind", "listKind"] as const).flatMap((field) => kindProblems(names[field], `${path}.${field}`)),
    ...(["shortNames", "categories"] as const).flatMap((field) =>
      (names[field] ?? []).flatMap((name, index) => labelProblems(name, `${path}.${field}[${index}]`)),
    ),
    ...(kind && kind === listKind
      ? [invalidValue(`${path}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
  ];
}

function labelProblems(name: string | undefined, field: string): FieldProblem[] {
  const problems = name ? dns1035LabelProblems(name) : [];
  return problems.length === 0 ? [] : [invalidValue(field, name, problems.join(","))];
}

function kindProblems(name: string | undefined, field: string): FieldProblem[] {
  const problems = name ? dns1035LabelProblems(name.toLowerCase()) : [];
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [invalidValue(field, name, detail)];
}

function conversionProblems({ conversion }: DefinitionSpec, converts: boolean): FieldProblem[] {
  const { strategy = "None" } = conversion ?? {};
  const field = "spec.conversion.strategy";
  if (strategy === "Webhook" && converts) return [];
  if (strategy === "Webhook")
    return [
      forbiddenValue(
        field,
        "this server does not convert between versions; use the strategy None, with versions that differ only in their schemas",
      ),
    ];
  return strategy === "None" ? [] : [unsupportedValue(field, strategy, ["None", "Webhook"])];
}

/** Versions that objects may be stored in must stay until no such object exists. */
function storedProblems(stored: readonly string[], versions: readonly DefinitionVersion[]): FieldProblem[] {
  const field = "status.storedVersions";
  if (stored.length === 0) return [invalidValue(field, null, "must have at least one stored version")];
  return [
    ...versions
      .filter(({ name, storage }) => storage && !stored.includes(name))
      .map(({ name }) => invalidValue(field, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, index) =>
      versions.some((version) => version.name === name)
        ? []
        : [
            invalidValue(
              `${field}[${index}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    ),
  ];
}

const APPROVAL = "api-approved.kubernetes.io";

/** Groups of the Kubernetes community need its approval, or an annotation that says that they have none. */
function approvalProblems(group: string, annotations: Readonly<Record<string, string>>): FieldProblem[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const field = `metadata.annotations[${APPROVAL}]`;
  const approval = annotations[APPROVAL] ?? "";
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (approval === "")
    return [requiredValue(field, `protected groups must have approval annotation "${APPROVAL}", ${see}`)];
  if (approval.startsWith("unapproved") || /^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.test(approval)) return [];
  return [
    invalidValue(
      field,
      approval,
      `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting with "unapproved", ${see}`,
    ),
  ];
}
