import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cidrContains, cidrProblem, parseCidr, parseIp } from "./cidr.ts";

describe("parseIp", () => {
  test.each([
    ["10.0.0.1", 4, 0x0a000001n],
    ["255.255.255.255", 4, 0xffffffffn],
    ["::", 6, 0n],
    ["::1", 6, 1n],
    ["2001:db8::", 6, 0x20010db8n << 96n],
    ["1:2:3:4:5:6:7:8", 6, 0x00010002000300040005000600070008n],
    ["::ffff:10.0.0.1", 6, 0xffff0a000001n],
    ["1:2:3:4:5:6:0.7.0.8", 6, 0x00010002000300040005000600070008n],
  ] as const)("reads %s", (text, family, value) => {
    expect(parseIp(text)).toEqual({ family, value });
  });

  test.each([
    "",
    "10.0.0",
    "10.0.0.256",
    "10.0.0.01",
    "1.2.3.4.5",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "g::",
    "1:2:3:4:5:6:7::8",
    "::1.2.3",
    "10.0.0.1 ",
    "10.0.0.1::",
    "1:10.0.0.1::2",
    ":1",
    "1:",
    ":1.2.3.4",
    ":::1.2.3.4",
    "1:2:3:4:5:6:7:1.2.3.4",
  ])("rejects %j", (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  test("reads every address that is printed", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        expect(parseIp(text)).toBeDefined();
      }),
    );
  });
});

describe("a range", () => {
  test.each([
    "10.0.0.0/16",
    "0.0.0.0/0",
    "192.168.1.7/32",
    "fd00::/64",
    "::/0",
    "::1/128",
    "2001:db8:0:1:2:3:4:5/48",
    "::ffff:10.0.0.1/96",
    "1::/16",
  ])("takes %s", (text) => {
    expect(cidrProblem(text)).toBeUndefined();
  });

  test.each([
    "",
    "/",
    "10.0.0.0",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "x/8",
    "10.0.0/16",
    "10.0.0.256/16",
    "10.0.0.01/16",
    "10.0.0.0/016",
    "10.0.0.0/16/16",
    "10.0.0.0 /16",
    "fd00::/129",
    "fd00:::/64",
    "1::2::3/64",
    "1:2:3:4:5:6:7/64",
    "1:2:3:4:5:6:7:8:9/64",
    "1:2:3:4:5:6:7::8/64/",
    "g::/64",
    "12345::/64",
    "10.0.0.1::/64",
    "1.2.3.4:5::/64",
    ":".repeat(100_000),
  ])("refuses %j with what is expected", (text) => {
    expect(cidrProblem(text)).toContain("such as 10.0.0.0/16");
  });

  test("accepts every IPv4 and IPv6 address with a prefix in range", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.nat(32), (address, prefix) => {
        expect(cidrProblem(`${address}/${prefix}`)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), fc.nat(128), (address, prefix) => {
        expect(cidrProblem(`${address}/${prefix}`)).toBeUndefined();
      }),
    );
  });
});

describe("cidrContains", () => {
  test.each([
    ["10.0.0.0/8", "10.1.0.0/16", true],
    ["10.1.0.0/16", "10.0.0.0/8", false],
    ["10.0.0.0/16", "10.0.0.0/8", false],
    ["10.0.0.0/16", "10.1.0.0/16", false],
    ["0.0.0.0/0", "1.2.3.4/32", true],
    ["::/0", "1.2.3.4/32", false],
    ["fd00::/8", "fd00:1::/64", true],
  ])("%s holds %s: %s", (outer, inner, expected) => {
    const [range, other] = [parseCidr(outer), parseCidr(inner)];
    expect(range && other && cidrContains(range, other)).toBe(expected);
  });

  test("a range contains its own addresses and no others", () => {
    const range = parseCidr("10.1.0.0/16");
    const held = (text: string) => {
      const address = parseIp(text);
      return range && address && cidrContains(range, address);
    };
    expect([held("10.1.255.255"), held("10.2.0.0"), held("10.0.255.255")]).toEqual([true, false, false]);
  });
});
