import { expect, test } from "vitest";
import {
  Addresses,
  addressText,
  contains,
  overlaps,
  parseAddress,
  parseRange,
  type Range,
} from "./addresses.ts";

const range = (text: string): Range => {
  const parsed = parseRange(text);
  if (!parsed) throw new Error(text);
  return parsed;
};

test.each(["10.0.0.0", "10.0.0.1/24", "300.0.0.0/8", "10.0.0.0/33", "a/8", ""])(
  "%s is not a range",
  (text) => {
    expect(parseRange(text)).toBeUndefined();
  },
);

test("detects ranges that contain each other or overlap", () => {
  expect(contains(range("10.0.0.0/8"), range("10.1.0.0/16"))).toBe(true);
  expect(contains(range("10.1.0.0/16"), range("10.0.0.0/8"))).toBe(false);
  expect(overlaps(range("10.0.0.0/24"), range("10.0.0.128/25"))).toBe(true);
  expect(overlaps(range("10.0.0.0/24"), range("10.0.1.0/24"))).toBe(false);
  expect(addressText(parseAddress("192.168.255.1") ?? 0)).toBe("192.168.255.1");
});

test("a subnet hands out all addresses but Azure's five, then reports that it is full", () => {
  const addresses = new Addresses();
  const small = range("10.0.0.0/29");
  const taken = [1, 2, 3].map(() => addressText(addresses.take("subnet", small)));
  expect(taken).toEqual(["10.0.0.4", "10.0.0.5", "10.0.0.6"]);
  expect(addresses.hasRoom("SUBNET", small, 1)).toBe(false);
  expect(() => addresses.take("subnet", small)).toThrow("SubnetIsFull");
  addresses.release("subnet", parseAddress("10.0.0.5") ?? 0);
  expect(addressText(addresses.take("subnet", small))).toBe("10.0.0.5");
});

test("does not hand out a claimed address", () => {
  const addresses = new Addresses();
  addresses.claim("subnet", parseAddress("10.0.0.4") ?? 0);
  expect(addressText(addresses.take("subnet", range("10.0.0.0/24")))).toBe("10.0.0.5");
});
