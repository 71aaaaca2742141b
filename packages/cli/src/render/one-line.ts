/** The message of a condition on one line, with the causes that it lists below its first one. */
export function onOneLine(message: string, longest: number): string {
  const lines = message.split("\n").map((line) => line.replace(/^ *\* /, ""));
  const text = lines.reduce((all, line) => (all.endsWith(":") ? `${all} ${line}` : `${all}; ${line}`));
  return text.length > longest ? `${text.slice(0, longest)} ...` : text;
}
