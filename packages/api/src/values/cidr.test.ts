import fc from "fast-check";
import { expect, test } from "vitest";
import { cidrProblem } from "./cidr.ts";

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
])("refuses %j and says what it takes", (text) => {
  expect(cidrProblem(text)).toContain("such as 10.0.0.0/16");
});

test("takes every IPv4 and IPv6 address with a prefix in range", () => {
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
