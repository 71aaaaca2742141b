// Moments are printed many times in the same second: by one pass over an object, and by all that run at that time.
let last = { second: Number.NaN, text: "" };

/** Prints a moment as Kubernetes does, in whole seconds: `2026-11-15T09:30:00Z`. */
export function formatTimestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== last.second)
    last = { second, text: `${new Date(second * 1000).toISOString().slice(0, -5)}Z` };
  return last.text;
}
