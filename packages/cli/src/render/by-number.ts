// workers-10 comes after workers-9.
const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Sorts names as people do: the numbers in them by their value. */
export function byNumber(a: string, b: string): number {
  return COLLATOR.compare(a, b);
}
