/**
 * Addresses of services on the machine or in its cloud, such as the metadata service. They answer every process on the machine,
 * with the machine's credentials, so the manager must not connect to them on behalf of a user.
 */
import { lookup as lookupHost, type LookupAddress, type LookupOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

const HOST_ADDRESSES = new BlockList();
// Link-local addresses: the metadata services of all clouds are there.
HOST_ADDRESSES.addSubnet("169.254.0.0", 16, "ipv4");
HOST_ADDRESSES.addSubnet("fe80::", 10, "ipv6");
// Azure's wire server: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
HOST_ADDRESSES.addAddress("168.63.129.16", "ipv4");
// The same IPv4 addresses behind a translator (RFC 6052).
HOST_ADDRESSES.addSubnet("64:ff9b::169.254.0.0", 112, "ipv6");
HOST_ADDRESSES.addAddress("64:ff9b::168.63.129.16", "ipv6");

/** The code of the error for a host that has such an address. */
export const HOST_ADDRESS_CODE = "CAPSTAN_HOST_ADDRESS";

/** Whether a text is such an address; an IPv4 address that is written as an IPv6 one counts, too. */
export function isHostAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, "");
  const version = isIP(bare);
  return version !== 0 && HOST_ADDRESSES.check(bare, version === 4 ? "ipv4" : "ipv6");
}

/** The error of a connection to such an address. */
export function hostAddressError(host: string, address: string): Error {
  const message = host === address ? address : `${host} is ${address}`;
  return Object.assign(new Error(`${message}, a link-local or metadata address`), {
    code: HOST_ADDRESS_CODE,
  });
}

/** Resolves names of hosts. */
export type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A lookup that fails if any address of the host is one of these. The connection uses the same answer that was checked. */
export function lookupWithoutHostAddresses(resolve: Resolve = lookupHost): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      const bad = addresses.find(({ address }) => isHostAddress(address));
      if (bad) return callback(hostAddressError(host, bad.address), "");
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first?.address ?? "", first?.family);
    });
  };
}
