import {
  dns1123SubdomainProblems,
  type Frozen,
  groupOf,
  type Kind,
  kindOf,
  type ObjectReference,
} from "@capstan/api";
import { type Failure, type ObjectName, terminal } from "@capstan/runtime";
import type { ContractObject } from "./contract-object.ts";

/** A reference and its location. */
export interface Pointer {
  readonly reference: Frozen<ObjectReference>;
  /** The field, for messages. */
  readonly field: string;
  /** The namespace of the referring object; a reference never crosses namespaces. */
  readonly namespace: string;
}

/** The referenced object. */
export interface Target {
  readonly kind: Kind<ContractObject>;
  readonly name: ObjectName;
  /** The kind and the name, for messages. */
  readonly text: string;
}

/** Cluster API's own group: its kinds are never infrastructure. */
const CORE_GROUP = "cluster.x-k8s.io";
const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;
const VERSION = /^v[0-9]+((alpha|beta)[0-9]+)?$/;

/** Resolves the kind and the name of a reference. Throws a Failure with the wrong field and its value. */
export function targetOf({ reference, field, namespace }: Pointer): Target {
  const { apiVersion = "", kind = "", name = "" } = reference;
  for (const [key, value] of Object.entries({ apiVersion, kind, name })) {
    if (value === "") throw incorrect(`${field}.${key} is empty; set it to the ${key} of the object`);
  }
  if (reference.namespace !== undefined && reference.namespace !== "" && reference.namespace !== namespace) {
    const value = JSON.stringify(reference.namespace);
    throw incorrect(
      `${field}.namespace is ${value}; it must be ${JSON.stringify(namespace)}, that of the object itself`,
    );
  }
  const problem = kindProblem(apiVersion, kind);
  if (problem !== undefined) throw incorrect(`${field}.${problem}`);
  return { kind: kindNamed(apiVersion, kind), name: { name, namespace }, text: `${kind} ${name}` };
}

/** A key of the referenced object that is independent of the API version. */
export function referenceKey(
  { apiVersion = "", kind = "", name = "" }: Frozen<ObjectReference>,
  namespace: string,
): string {
  return `${kind}.${groupOf(apiVersion)} ${namespace}/${name}`;
}

/** The names become part of a URL, and the object is changed and deleted, so only kinds of providers are allowed. */
function kindProblem(apiVersion: string, kind: string): string | undefined {
  const group = groupOf(apiVersion);
  const version = apiVersion.slice(group.length + 1);
  const shown = JSON.stringify(apiVersion);
  if (dns1123SubdomainProblems(group).length > 0 || !VERSION.test(version)) {
    return `apiVersion ${shown} is not an API version of a provider; expected something like "infrastructure.cluster.x-k8s.io/v1beta1"`;
  }
  if (!group.includes(".") || group === CORE_GROUP || isKubernetesOwn(group)) {
    return `apiVersion ${shown} is not the API version of a provider; expected a group such as infrastructure.cluster.x-k8s.io`;
  }
  return KIND.test(kind)
    ? undefined
    : `kind ${JSON.stringify(kind)} is not a kind; expected something like "AzureCluster"`;
}

function isKubernetesOwn(group: string): boolean {
  return group.endsWith(".k8s.io") && !group.endsWith(".x-k8s.io");
}

/** A kind of ours, or one that follows the contract, with the plural that the contract prescribes. */
export function kindNamed(apiVersion: string, kind: string): Kind<ContractObject> {
  const ours = kindOf(apiVersion, kind);
  if (ours) return ours;
  const group = groupOf(apiVersion);
  const version = apiVersion.slice(group.length + 1);
  return {
    group,
    version,
    apiVersion,
    kind,
    plural: pluralOf(kind),
    namespaced: true,
    subresources: ["status"],
  };
}

/** The contract names CRDs by this rule, so no discovery request is needed. */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

function incorrect(message: string): Failure {
  return terminal("IncorrectExternalRef", message);
}
