import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cidrContains, parseCidr, parseIp } from "./cidr.ts";

describe("parseIp", () => {
  test.each([
    ["10.0.0.1", 4, 0x0a000001n],
    ["255.255.255.255", 4, 0xffffffffn],
    ["::", 6, 0n],
    ["::1", 6, 1n],
    ["2001:db8::", 6, 0x20010db8n << 96n],
    ["1:2:3:4:5:6:7:8", 6, 0x00010002000300040005000600070008n],
    ["::ffff:10.0.0.1", 6, 0xffff0a000001n],
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

describe("parseCidr", () => {
  test.each([
    "10.0.0.0",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0.0/08",
    "::/129",
    "x/8",
  ])("rejects %j", (text) => {
    expect(parseCidr(text)).toBeUndefined();
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

  test("a range holds its own addresses and no others", () => {
    const range = parseCidr("10.1.0.0/16");
    const held = (text: string) => {
      const address = parseIp(text);
      return range && address && cidrContains(range, address);
    };
    expect([held("10.1.255.255"), held("10.2.0.0"), held("10.0.255.255")]).toEqual([true, false, false]);
  });
});
