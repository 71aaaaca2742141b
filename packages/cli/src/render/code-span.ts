/** A text as code of Markdown. Backticks in it would end the span, unless more of them are around it. */
export function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const room = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${room}${text}${room}${fence}`;
}
