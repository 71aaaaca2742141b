import { ArmError } from "../../arm/errors.ts";
import { keyOf } from "../../arm/target.ts";

/** An IPv4 range: where it begins and how many addresses it has. */
export interface Range {
  readonly first: number;
  readonly size: number;
}

// Azure reserves the first four addresses of a subnet and the last one.
const RESERVED_FIRST = 4;
const RESERVED_LAST = 1;

/** Parses `10.0.0.0/16`; undefined for anything but an IPv4 range that starts at its first address. */
export function parseRange(prefix: string): Range | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(prefix);
  if (!match) return undefined;
  const [bits, ...bytes] = [Number(match[5]), ...match.slice(1, 5).map(Number)];
  if (bits > 32 || bytes.some((byte) => byte > 255)) return undefined;
  const first = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const size = 2 ** (32 - bits);
  return first % size === 0 ? { first, size } : undefined;
}

/** Parses an address; undefined when the text is not one. */
export function parseAddress(text: string): number | undefined {
  return parseRange(`${text}/32`)?.first;
}

/** Whether one range lies inside another. */
export function contains(outer: Range, inner: Range): boolean {
  return inner.first >= outer.first && inner.first + inner.size <= outer.first + outer.size;
}

/** Whether two ranges share an address. */
export function overlaps(a: Range, b: Range): boolean {
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

/** An address as text. */
export function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}

interface Subnet {
  next: number;
  readonly used: Set<number>;
  readonly free: number[];
}

/** Which private addresses of each subnet are taken. */
export class Addresses {
  readonly #subnets = new Map<string, Subnet>();

  /** How many addresses of a subnet are taken. */
  usedIn(subnetId: string): number {
    return this.#subnets.get(keyOf(subnetId))?.used.size ?? 0;
  }

  /** Whether so many more addresses are free. */
  hasRoom(subnetId: string, range: Range, count: number): boolean {
    return this.usedIn(subnetId) + count <= range.size - RESERVED_FIRST - RESERVED_LAST;
  }

  /** Takes the next free address. Released addresses come last, so that an address is not reused soon. */
  take(subnetId: string, range: Range): number {
    const subnet = this.#subnet(subnetId);
    const last = range.first + range.size - RESERVED_LAST - 1;
    for (let next = range.first + Math.max(RESERVED_FIRST, subnet.next); next <= last; next++) {
      subnet.next = next - range.first + 1;
      if (!subnet.used.has(next)) return this.#use(subnet, next);
    }
    for (let freed = subnet.free.shift(); freed !== undefined; freed = subnet.free.shift()) {
      if (!subnet.used.has(freed)) return this.#use(subnet, freed);
    }
    throw subnetIsFull(subnetId, 1);
  }

  /** Marks an address as taken: a store or a caller names it. */
  claim(subnetId: string, address: number): void {
    this.#subnet(subnetId).used.add(address);
  }

  release(subnetId: string, address: number): void {
    const subnet = this.#subnet(subnetId);
    if (subnet.used.delete(address)) subnet.free.push(address);
  }

  #use(subnet: Subnet, address: number): number {
    subnet.used.add(address);
    return address;
  }

  #subnet(id: string): Subnet {
    const key = keyOf(id);
    const known = this.#subnets.get(key);
    if (known) return known;
    const created: Subnet = { next: 0, used: new Set(), free: [] };
    this.#subnets.set(key, created);
    return created;
  }
}

/** The error for a subnet without enough free addresses. */
export function subnetIsFull(subnetId: string, count: number): ArmError {
  const name = subnetId.split("/").at(-1) ?? subnetId;
  return new ArmError(400, {
    code: "SubnetIsFull",
    message: `Subnet ${name} with address prefix does not have enough capacity for ${count} IP addresses.`,
    details: [],
  });
}
