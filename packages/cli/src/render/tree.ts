/** An item with parts, as lines of a tree. */
export interface Branch {
  readonly text: string;
  readonly parts: readonly Branch[];
}

/** A tree with box-drawing characters. */
export function tree({ text, parts }: Branch): string {
  return `${text}\n${hanging(parts, "")}`;
}

function hanging(parts: readonly Branch[], indent: string): string {
  return parts
    .map(({ text, parts: inner }, index) => {
      const isLast = index === parts.length - 1;
      const line = `${indent}${isLast ? "└── " : "├── "}${text}\n`;
      return line + hanging(inner, `${indent}${isLast ? "    " : "│   "}`);
    })
    .join("");
}
