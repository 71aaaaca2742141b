import {
  type AzureClusterIdentity,
  type Frozen,
  labelSelectorProblem,
  type LabelSelectorLike,
  selectorMatches,
  selectorOf,
} from "@capstan/api";

/** A namespace that uses an identity. */
export interface UsingNamespace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Why a namespace may not use an identity; undefined when it may. As in CAPZ: without `allowedNamespaces` no namespace
 * may, with an empty one every namespace may; otherwise a namespace must be listed or selected, and a selector without
 * any condition selects nothing.
 */
export function namespaceProblem(
  identity: Frozen<AzureClusterIdentity>,
  namespace: UsingNamespace,
): string | undefined {
  const allowed = identity.spec.allowedNamespaces;
  const field = `spec.allowedNamespaces of AzureClusterIdentity ${identity.metadata.name}`;
  if (!allowed) {
    return `${field} is not set, so no namespace may use the identity; list ${namespace.name}, or set it to {} for all`;
  }
  const { list, selector } = allowed;
  if (list === undefined && selector === undefined) return undefined;
  if (list?.includes(namespace.name)) return undefined;
  const problem = selector && labelSelectorProblem(selector);
  if (problem !== undefined) return `the selector in ${field} is invalid: ${problem}`;
  if (selector && selects(selector, namespace)) return undefined;
  return `${field} does not include namespace ${namespace.name}; add it to the list, or label the namespace for the selector`;
}

function selects(selector: LabelSelectorLike, { labels }: UsingNamespace): boolean {
  const requirements = selectorOf(selector);
  return requirements.length > 0 && selectorMatches(requirements, labels);
}
