/** A label selector of our own code: names, and names with values. */
export interface Selector {
  /** The labels with a value, as `name=value`. */
  readonly pairs: readonly string[];
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean;
}

/** Reads a selector of the forms `name=value` and `name`, separated by commas. */
export function selectorOf(text: string): Selector {
  const parts = text.split(",");
  return {
    pairs: parts.filter((part) => part.includes("=")),
    matches: (labels) =>
      parts.every((part) => {
        const [name = "", value] = part.split("=");
        return value === undefined ? name in labels : labels[name] === value;
      }),
  };
}
