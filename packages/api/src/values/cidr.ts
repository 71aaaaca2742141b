/** IP addresses and ranges, parsed like Go's net package. */

/** An address as a number. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** A range of addresses. */
export interface Cidr extends IpAddress {
  readonly prefix: number;
}

// Without leading zeros, which some parsers take as octal.
const SMALL_NUMBER = /^(0|[1-9][0-9]{0,2})$/;
const HEX_GROUP = /^[0-9a-f]{1,4}$/i;
const GROUPS = 8;

/** Parses an IPv4 or IPv6 address; undefined if the text is not one. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(":")) {
    const bytes = readIPv4(text);
    return bytes && { family: 4, value: joined(bytes, 8n) };
  }
  const groups = readIPv6(text);
  return groups && { family: 6, value: joined(groups, 16n) };
}

/** Parses a range such as `10.0.0.0/16`; undefined if the text is not one. */
export function parseCidr(text: string): Cidr | undefined {
  const [base = "", prefix = "", ...rest] = text.split("/");
  const address = parseIp(base);
  if (!address || rest.length > 0 || !SMALL_NUMBER.test(prefix) || Number(prefix) > width(address)) {
    return undefined;
  }
  return { ...address, prefix: Number(prefix) };
}

/** The problem of a range, or undefined if it is valid. */
export function cidrProblem(text: string): string | undefined {
  return parseCidr(text) ? undefined : "must be a CIDR block, such as 10.0.0.0/16 or fd00::/64";
}

/** Whether a range contains an address, or a whole other range. */
export function cidrContains(outer: Cidr, inner: IpAddress | Cidr): boolean {
  const prefix = "prefix" in inner ? inner.prefix : width(inner);
  if (outer.family !== inner.family || outer.prefix > prefix) {
    return false;
  }
  const host = BigInt(width(outer) - outer.prefix);
  return outer.value >> host === inner.value >> host;
}

function width(address: IpAddress): number {
  return address.family === 4 ? 32 : 128;
}

function joined(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);
}

function readIPv4(text: string): readonly number[] | undefined {
  const bytes = text.split(".");
  const fine = bytes.length === 4 && bytes.every((byte) => SMALL_NUMBER.test(byte) && Number(byte) < 256);
  return fine ? bytes.map(Number) : undefined;
}

function readIPv6(text: string): readonly number[] | undefined {
  const [left = "", right, ...rest] = withoutIPv4(text).split("::");
  const head = readGroups(left);
  const tail = readGroups(right ?? "");
  if (!head || !tail || rest.length > 0) {
    return undefined;
  }
  const missing = GROUPS - head.length - tail.length;
  // "::" replaces at least one group.
  const fits = right === undefined ? missing === 0 : missing > 0;
  return fits ? [...head, ...Array<number>(missing).fill(0), ...tail] : undefined;
}

/** The address with its last 32 bits as two groups, where they are written as an IPv4 address. */
function withoutIPv4(text: string): string {
  const start = text.lastIndexOf(":") + 1;
  const bytes = readIPv4(text.slice(start));
  if (!bytes) return text;
  const value = joined(bytes, 8n);
  return `${text.slice(0, start)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

function readGroups(text: string): readonly number[] | undefined {
  const words = text === "" ? [] : text.split(":");
  return words.every((word) => HEX_GROUP.test(word))
    ? words.map((word) => Number.parseInt(word, 16))
    : undefined;
}
