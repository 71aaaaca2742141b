// Times of the same second are printed many times: by one pass over an object, and by all concurrent ones.
let last = { second: Number.NaN, text: "" };

/** Prints a time as Kubernetes does, in whole seconds: `2026-11-15T09:30:00Z`. */
export function formatTimestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== last.second)
    last = { second, text: `${new Date(second * 1000).toISOString().slice(0, -5)}Z` };
  return last.text;
}
