// Control characters but tab and newline, and those that change the direction of a line.
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what it finds
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

// The YAML of an object is the longest text.
const LONGEST = 262_144;

/** A text of a cluster with the characters visible that could make it look like another text. */
export function readableText(text: string): string {
  const visible = text.replaceAll(
    HIDDEN,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return visible.length > LONGEST ? `${visible.slice(0, LONGEST)} …` : visible;
}

// JSON has escaped the control characters; an escaped backslash before one of these letters is found, too, which does no harm.
const MAY_HIDE = /\\[bfru]|[\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/;

/** Whether no text in a JSON has such characters, by one look at all of it. */
export function isReadableJson(json: string): boolean {
  return !MAY_HIDE.test(json);
}
