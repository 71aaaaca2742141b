/** A condition as Kubernetes' own kinds have it. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** The objects of one kind that are still in a namespace. */
export interface Remaining {
  readonly plural: string;
  readonly group: string;
  /** Why some of them could not be deleted. */
  readonly problem: string | undefined;
  /** The finalizers of each object. */
  readonly finalizers: readonly (readonly string[])[];
}

type Finding = Omit<Condition, "lastTransitionTime">;

/** Reports what keeps a namespace from being deleted, in kube-controller-manager's conditions and messages. */
export function namespaceConditions(
  old: readonly Condition[],
  remaining: readonly Remaining[],
  now: string,
): Condition[] {
  return findings(remaining).map((finding) => {
    const before = old.find(({ type }) => type === finding.type);
    return {
      ...finding,
      lastTransitionTime: before?.status === finding.status ? before.lastTransitionTime : now,
    };
  });
}

function findings(remaining: readonly Remaining[]): Finding[] {
  const problems = remaining.flatMap(({ problem }) => problem ?? []);
  const kept = remaining.filter(({ finalizers }) => finalizers.length > 0);
  const held = countFinalizers(kept);
  return [
    finding(
      "NamespaceDeletionDiscoveryFailure",
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ),
    finding(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    problems.length === 0
      ? finding(
          "NamespaceDeletionContentFailure",
          "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization",
        )
      : trouble(
          "NamespaceDeletionContentFailure",
          "ContentDeletionFailed",
          `Failed to delete all resource types, ${problems.length} remaining: ${problems.join(", ")}`,
        ),
    kept.length === 0
      ? finding("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
      : trouble(
          "NamespaceContentRemaining",
          "SomeResourcesRemain",
          `Some resources are remaining: ${sorted(kept.map(instances))}`,
        ),
    held.length === 0
      ? finding(
          "NamespaceFinalizersRemaining",
          "ContentHasNoFinalizers",
          "All content-preserving finalizers finished",
        )
      : trouble(
          "NamespaceFinalizersRemaining",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${sorted(held)}`,
        ),
  ];
}

const finding = (type: string, reason: string, message: string): Finding => ({
  type,
  status: "False",
  reason,
  message,
});
const trouble = (type: string, reason: string, message: string): Finding => ({
  type,
  status: "True",
  reason,
  message,
});

function instances({ plural, group, finalizers }: Remaining): string {
  return `${plural}.${group} has ${finalizers.length} resource instances`;
}

function countFinalizers(remaining: readonly Remaining[]): string[] {
  const counts = new Map<string, number>();
  for (const finalizer of remaining.flatMap(({ finalizers }) => finalizers.flat()))
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  return [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
}

function sorted(texts: readonly string[]): string {
  return texts.toSorted().join(", ");
}
