/** Address ranges such as `10.0.0.0/16` or `fd00::/64`. */

/** Says what is wrong with a CIDR block, or nothing when it is fine. */
export function cidrProblem(text: string): string | undefined {
  // The longest IPv6 form with a prefix has 43 characters; nothing longer is looked at.
  const [address = "", prefix, ...rest] = text.length <= 43 ? text.split("/") : [];
  const bits = addressBits(address);
  const fine = bits > 0 && rest.length === 0 && isWholeNumber(prefix, bits);
  return fine ? undefined : "must be a CIDR block, such as 10.0.0.0/16 or fd00::/64";
}

/** 32 for an IPv4 address, 128 for an IPv6 one, 0 for anything else. */
function addressBits(text: string): 0 | 32 | 128 {
  if (text.includes(":")) return isIpv6(text) ? 128 : 0;
  return isIpv4(text) ? 32 : 0;
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => isWholeNumber(part, 255));
}

function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1)?.at(-1) ?? "";
  const withIpv4 = last.includes(".");
  if (withIpv4) {
    if (!isIpv4(last)) return false;
    groups.at(-1)?.pop();
  }
  const all = groups.flat();
  const room = withIpv4 ? 6 : 8;
  const complete = halves.length === 2 ? all.length < room : all.length === room;
  return complete && all.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group));
}

/** A whole number in plain digits, without leading zeros, at most `largest`. */
function isWholeNumber(text: string | undefined, largest: number): boolean {
  return text !== undefined && /^(0|[1-9][0-9]{0,2})$/.test(text) && Number(text) <= largest;
}
