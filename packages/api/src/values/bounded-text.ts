// Tab and newline stay: messages may have several lines.
// eslint-disable-next-line no-control-regex -- control characters are what it removes
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The text without control characters, cut to a length with an ellipsis at the end. */
export function boundedText(text: string, limit: number): string {
  // The cut comes first, so that a text of any length costs no more than the limit.
  const near = text.length > limit ? `${whole(text.slice(0, limit - 1))}…` : text;
  return near.search(CONTROL) < 0 ? near : near.replaceAll(CONTROL, " ");
}

/** Without half of a surrogate pair at its end. */
function whole(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
