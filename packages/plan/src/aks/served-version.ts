/** The version in which objects of Azure Service Operator are submitted. Pure. */

/** One version that a CustomResourceDefinition serves. */
export interface ServedVersion {
  readonly name: string;
  readonly served: boolean;
}

/** The newest stable version, or with previews the newest of all; undefined if there is none. */
export function newestServed(
  versions: readonly ServedVersion[],
  { preview }: { readonly preview: boolean },
): string | undefined {
  const candidates = versions
    .filter(({ served, name }) => served && dateIn(name) > 0 && !isStorageVersion(name))
    .map(({ name }) => name);
  const previews = candidates.filter((name) => name.includes("preview"));
  const stable = candidates.filter((name) => !name.includes("preview"));
  const [first, second] = preview ? [previews, stable] : [stable, []];
  return newestOf(first) ?? newestOf(second ?? []);
}

/** Whether only Azure Service Operator itself uses a version, to store objects. */
export function isStorageVersion(name: string): boolean {
  return name.endsWith("storage");
}

function newestOf(names: readonly string[]): string | undefined {
  return names.toSorted((a, b) => dateIn(a) - dateIn(b)).at(-1);
}

/** Both `v1api20250801` and `v20251002preview` have a date. */
function dateIn(name: string): number {
  return Number(/\d{8}/.exec(name)?.[0] ?? 0);
}
