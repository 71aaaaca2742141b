import {
  type ContractReference,
  dns1123SubdomainProblems,
  type Frozen,
  groupOf,
  type Kind,
  kindOf,
} from "@capstan/api";
import { type Failure, type ObjectName, terminal } from "@capstan/runtime";
import type { ContractObject } from "./contract-object.ts";
import { type DefinitionReader, versionOf } from "./kind-version.ts";

/** A reference and its location. */
export interface Pointer {
  readonly reference: Frozen<ContractReference>;
  /** The field, for messages. */
  readonly field: string;
  /** The namespace of the referring object; a reference never leaves it. */
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

/** Resolves the kind and the name of a reference. Throws a Failure with the wrong field and its value. */
export async function targetOf(
  client: DefinitionReader,
  { reference, field, namespace }: Pointer,
): Promise<Target> {
  // Objects that were stored before admission, or by a conversion, may lack one of them.
  const given: Partial<ContractReference> = reference;
  const { apiGroup = "", kind = "", name = "" } = given;
  for (const [key, value] of Object.entries({ apiGroup, kind, name })) {
    if (value === "") throw incorrect(`${field}.${key} is empty; set it to the ${key} of the object`);
  }
  const problem = kindProblem(apiGroup, kind);
  if (problem !== undefined) throw incorrect(`${field}.${problem}`);
  const version = await versionOf(client, { group: apiGroup, kind, plural: pluralOf(kind) });
  return {
    kind: kindNamed(`${apiGroup}/${version}`, kind),
    name: { name, namespace },
    text: `${kind} ${name}`,
  };
}

/** A key of the referenced object that is independent of the API version. */
export function referenceKey({ apiGroup, kind, name }: Frozen<ContractReference>, namespace: string): string {
  return `${kind}.${apiGroup} ${namespace}/${name}`;
}

/** Whether a reference names an object of a kind. */
export function refersTo(
  reference: Pick<Frozen<ContractReference>, "apiGroup" | "kind"> | undefined,
  { group, kind }: Kind,
): boolean {
  return reference?.kind === kind && reference.apiGroup === group;
}

/** The names become part of a URL, and the object is changed and deleted, so only kinds of providers are allowed. */
function kindProblem(group: string, kind: string): string | undefined {
  const shown = JSON.stringify(group);
  if (dns1123SubdomainProblems(group).length > 0 || !group.includes(".") || isReserved(group)) {
    return `apiGroup ${shown} is not the API group of a provider; expected something like "infrastructure.cluster.x-k8s.io"`;
  }
  return KIND.test(kind)
    ? undefined
    : `kind ${JSON.stringify(kind)} is not a kind; expected something like "AzureCluster"`;
}

function isReserved(group: string): boolean {
  return group === CORE_GROUP || isKubernetesOwn(group);
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
