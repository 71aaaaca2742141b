import { cidrProblem, durationProblem } from "@capstan/api";

/** A format that texts are checked against. */
export interface Format {
  /** As the schema writes it. */
  readonly name: string;
  readonly matches: (text: string) => boolean;
}

/** The format of that name; undefined for those that Kubernetes does not check, such as `int32`. */
export function formatOf(name: string): Format | undefined {
  const matches = FORMATS.get(name.replaceAll("-", ""));
  return matches && { name, matches };
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONG_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAC =
  /^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}(?:(?:[0-9a-f]{2}\1){2}|(?:[0-9a-f]{2}\1){14})?[0-9a-f]{2}$/i;
const MAC_IN_FOURS = /^(?:[0-9a-f]{4}\.){2}(?:[0-9a-f]{4}\.|(?:[0-9a-f]{4}\.){7})?[0-9a-f]{4}$/i;
const RGB_PART = String.raw`\s*(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])\s*`;
const RGB = new RegExp(String.raw`^rgb\(${RGB_PART},${RGB_PART},${RGB_PART}\)$`);
// A single label may have a dash only in its second place; kube-apiserver does it like this.
const LONE_HOSTNAME = /^[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}$/u;
const HOSTNAME_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?$/u;
const TOP_LEVEL_DOMAIN = /^[a-zA-Z\p{L}]{2,63}$/u;
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(?:222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$/;
// The local part as atoms and dots, or quoted, and anything without spaces after the @; a name may precede it.
const EMAIL =
  /^(?:[^<>@"]*<)?(?:[^\s@<>(),:;\\"[\].]+(?:\.[^\s@<>(),:;\\"[\].]+)*|"[^"]*")@[^\s@<>(),:;\\"]+>?$/;
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:(?:\/\/(?<authority>[^/?#]*))?/i;
const AUTHORITY = /^(?:[^@[\]]*@)?(?:\[[0-9a-f:.%]+\]|[^[\]<>"\\^`{|}]*)$/i;

const FORMATS: ReadonlyMap<string, Format["matches"]> = new Map([
  ["bsonobjectid", (text) => /^[0-9a-f]{24}$/i.test(text)],
  ["uri", isUri],
  ["email", (text) => EMAIL.test(text) && text.includes("<") === text.endsWith(">")],
  ["hostname", isHostname],
  ["ipv4", (text) => text.includes(".") && isIp(text)],
  ["ipv6", (text) => text.includes(":") && isIp(text)],
  ["cidr", (text) => cidrProblem(withoutLeadingZeros(text)) === undefined],
  ["mac", (text) => MAC.test(text) || MAC_IN_FOURS.test(text)],
  ["uuid", (text) => UUID.test(text)],
  ["uuid3", (text) => UUID3.test(text)],
  ["uuid4", (text) => UUID4.test(text)],
  ["uuid5", (text) => UUID5.test(text)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text)],
  ["hexcolor", (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ["rgbcolor", (text) => RGB.test(text)],
  ["byte", (text) => BASE64.test(text)],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => text.length <= 63 && SHORT_NAME.test(text)],
  ["k8slongname", (text) => text.length <= 253 && LONG_NAME.test(text)],
]);

/** Kubernetes accepts addresses with leading zeros, as Go once did. */
function withoutLeadingZeros(text: string): string {
  return text.includes(":") ? text : text.replaceAll(/(^|\.)0+(?=\d)/g, "$1");
}

function isIp(text: string): boolean {
  return !text.includes("/") && cidrProblem(`${withoutLeadingZeros(text)}/0`) === undefined;
}

function isHostname(text: string): boolean {
  const labels = text.split(".");
  const domain = labels.pop() ?? "";
  const isKnown =
    labels.length === 0
      ? LONE_HOSTNAME.test(domain)
      : TOP_LEVEL_DOMAIN.test(domain) && labels.every((label) => HOSTNAME_LABEL.test(label));
  return (
    isKnown &&
    Buffer.byteLength(text) <= 255 &&
    [...labels, domain].every((label) => Buffer.byteLength(label) <= 63)
  );
}

/** A URI as in a request: with a scheme, or as an absolute path. */
function isUri(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f ]/.test(text) || /%(?![0-9a-f]{2})/i.test(text)) return false;
  if (text.startsWith("/") || text === "*") return true;
  const found = ABSOLUTE_URI.exec(text);
  // A port follows the last colon, outside of the brackets of an address.
  const authority = found?.groups?.["authority"]?.replace(/:\d*$/, "") ?? "";
  return found !== null && AUTHORITY.test(authority);
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const parts = DATE.exec(text);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeapDay || (day > 0 && day <= (DAYS[month - 1] ?? 0));
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/is;

function isDateTime(text: string): boolean {
  const end = text.search(/t/i);
  return end > 0 && isDate(text.slice(0, end)) && TIME.test(text.slice(end + 1));
}

const DURATION_UNIT =
  /\d+\s*(?:ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)(?![A-Za-zµ])/i;
const LONG_DURATION_UNIT = /\d+\s*(?:nano|micro|milli|sec|min|hour|day|week)/i;

/** Go's durations, and informal ones such as `2 days`. */
function isDuration(text: string): boolean {
  return durationProblem(text) === undefined || DURATION_UNIT.test(text) || LONG_DURATION_UNIT.test(text);
}

function digitsOf(text: string): string[] {
  return text.split("");
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = digitsOf(digits).reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = digitsOf(digits).reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3),
    0,
  );
  return sum % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "");
  if (!CREDIT_CARD.test(digits)) return false;
  const sum = digitsOf(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}
