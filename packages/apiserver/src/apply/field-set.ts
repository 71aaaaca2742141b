/**
 * Sets of field paths, as managedFields record them. A set is an immutable trie: each node says whether its own path is
 * a member, and has the paths below it by their elements (`path-element.ts`). Operations return their argument itself
 * when nothing changes, so an unchanged manager keeps its stored text.
 */
export interface FieldSet {
  readonly isMember: boolean;
  /** The paths below, by the text of their element: `f:name`, `k:{"name":"a"}`, `v:"x"` or `i:0`. */
  readonly children: ReadonlyMap<string, FieldSet>;
}

const NO_CHILDREN: ReadonlyMap<string, FieldSet> = new Map();

/** The set without paths. */
export const EMPTY: FieldSet = { isMember: false, children: NO_CHILDREN };

/** A path that is a member, without members below it. */
export const LEAF: FieldSet = { isMember: true, children: NO_CHILDREN };

/** A node of a set; the shared ones if it has no children. */
export function fieldSet(isMember: boolean, children: ReadonlyMap<string, FieldSet>): FieldSet {
  if (children.size > 0) return { isMember, children };
  return isMember ? LEAF : EMPTY;
}

/** Whether the set has no path. */
export function isEmptySet(set: FieldSet): boolean {
  return !set.isMember && set.children.size === 0;
}

/** The set of one path. */
export function pathSet(...elements: readonly string[]): FieldSet {
  return elements.reduceRight<FieldSet>(
    (inner, element) => fieldSet(false, new Map([[element, inner]])),
    LEAF,
  );
}

/** The paths below an element; the empty set if there are none. */
export function below(set: FieldSet, element: string): FieldSet {
  return set.children.get(element) ?? EMPTY;
}

/** The set with other children; the set itself if they are the same. */
export function withChildren(
  set: FieldSet,
  change: (child: FieldSet, element: string) => FieldSet,
  elements: Iterable<string> = set.children.keys(),
): FieldSet {
  let children: Map<string, FieldSet> | undefined;
  for (const element of elements) {
    const before = below(set, element);
    const after = change(before, element);
    if (after === before) continue;
    children ??= new Map(set.children);
    if (isEmptySet(after)) children.delete(element);
    else children.set(element, after);
  }
  return children ? fieldSet(set.isMember, children) : set;
}

/** The set with or without its own path as a member. */
export function withSelf(set: FieldSet, isMember: boolean): FieldSet {
  return set.isMember === isMember ? set : fieldSet(isMember, set.children);
}

/** The paths of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const joined = withChildren(a, (child, element) => union(child, below(b, element)), b.children.keys());
  return withSelf(joined, a.isMember || b.isMember);
}

/** The paths of all sets. One walk through all of them: many managers may each own a field of one large map. */
export function unionAll(sets: readonly FieldSet[]): FieldSet {
  const [only] = sets;
  if (only && sets.length === 1) return only;
  const inner = new Map<string, FieldSet[]>();
  for (const { children } of sets)
    for (const [element, child] of children) {
      const same = inner.get(element);
      if (same) same.push(child);
      else inner.set(element, [child]);
    }
  const isMember = sets.some((set) => set.isMember);
  return fieldSet(isMember, new Map([...inner].map(([element, same]) => [element, unionAll(same)])));
}

/** The paths of the first set that are not in the second. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** The paths of the first set that are neither in the second nor below one of its paths. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, isRecursive: boolean): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  if (a === b || (isRecursive && b.isMember)) return EMPTY;
  const rest = withChildren(
    a,
    (child, element) => subtract(child, below(b, element), isRecursive),
    common(a, b),
  );
  return withSelf(rest, a.isMember && !b.isMember);
}

/** The elements that both sets have. */
function common(a: FieldSet, b: FieldSet): string[] {
  const [outer, inner] = a.children.size <= b.children.size ? [a, b] : [b, a];
  return [...outer.children.keys()].filter((element) => inner.children.has(element));
}

/** The paths of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const children = new Map<string, FieldSet>();
  for (const element of common(a, b)) {
    const shared = intersection(below(a, element), below(b, element));
    if (!isEmptySet(shared)) children.set(element, shared);
  }
  return fieldSet(a.isMember && b.isMember, children);
}

/** A set that is being collected, path by path. */
export class FieldSetBuilder {
  readonly #root: Growing = { isMember: false, children: new Map() };

  /** Adds a path; the root itself is never a member. */
  add(path: readonly string[]): void {
    if (path.length === 0) return;
    let node = this.#root;
    for (const element of path) {
      let child = node.children.get(element);
      if (!child) node.children.set(element, (child = { isMember: false, children: new Map() }));
      node = child;
    }
    node.isMember = true;
  }

  /** The set. The builder must not be used afterwards. */
  build(): FieldSet {
    return this.#root.children.size === 0 ? EMPTY : this.#root;
  }
}

interface Growing {
  isMember: boolean;
  readonly children: Map<string, Growing>;
}
