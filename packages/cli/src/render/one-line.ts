/** The message of a condition on one line, with the causes that it lists below its first one; cut between words. */
export function onOneLine(message: string, longest = Number.POSITIVE_INFINITY): string {
  const lines = message.split("\n").map((line) => line.replace(/^ *\* /, ""));
  const text = lines.reduce((all, line) => (all.endsWith(":") ? `${all} ${line}` : `${all}; ${line}`));
  if (text.length <= longest) return text;
  const lastBlank = text.lastIndexOf(" ", longest);
  return `${text.slice(0, lastBlank > 0 ? lastBlank : longest)} ...`;
}
