import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelKeyProblems,
  labelValueFor,
  labelValueProblems,
} from "./names.ts";

const LONG = 100_000;

describe("a DNS-1123 label", () => {
  test.each(["a", "a-b", "0", "a1", "a".repeat(63)])("may be %s", (text) => {
    expect(dns1123LabelProblems(text)).toEqual([]);
  });

  test.each(["", "-a", "a-", "A", "a.b", "a_b", "a\n", "ä", " a"])("may not be %j", (text) => {
    expect(dns1123LabelProblems(text)).toEqual([
      expect.stringContaining("a lowercase RFC 1123 label must consist of"),
    ]);
  });

  test("has the same message as in Kubernetes", () => {
    expect(dns1123LabelProblems("A")).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    expect(dns1123LabelProblems("a".repeat(64))).toEqual(["must be no more than 63 characters"]);
  });
});

test("a DNS-1123 subdomain is labels with dots", () => {
  expect(dns1123SubdomainProblems("a.b-c.d0")).toEqual([]);
  for (const text of ["", ".", "a..b", "a.", ".a", "a.-b"])
    expect(dns1123SubdomainProblems(text)).toHaveLength(1);
  expect(dns1123SubdomainProblems("a".repeat(254))).toEqual(["must be no more than 253 characters"]);
});

test("a DNS-1035 label begins with a letter", () => {
  expect(dns1035LabelProblems("abc-123")).toEqual([]);
  expect(dns1035LabelProblems("123-abc")).toHaveLength(1);
});

test("a label value may be empty and have capitals, dots and underscores", () => {
  for (const text of ["", "a", "A_b.c-d", "1"]) expect(labelValueProblems(text)).toEqual([]);
  for (const text of ["-a", "a-", "a/b", "a b", "a".repeat(64)])
    expect(labelValueProblems(text)).toHaveLength(1);
});

describe("a label key", () => {
  test.each(["a", "A.b_c", "example.com/MyName", "cluster.x-k8s.io/cluster-name"])("may be %s", (text) => {
    expect(labelKeyProblems(text)).toEqual([]);
  });

  test.each([
    ["", "name part must be non-empty"],
    ["a/", "name part must be non-empty"],
    ["/a", "prefix part must be non-empty"],
    ["A/a", "prefix part a lowercase RFC 1123 subdomain must consist of"],
    ["a/b/c", "a qualified name must consist of"],
    ["-a", "name part must consist of"],
    ["a".repeat(64), "name part must be no more than 63 bytes"],
  ])("may not be %j", (text, message) => {
    expect(labelKeyProblems(text)).toEqual([expect.stringContaining(message)]);
  });
});

test("a name that is too long becomes a hash", () => {
  expect(labelValueFor("short")).toBe("short");
  expect(labelValueFor("a".repeat(64))).toBe("hash_2W8PhQ_z");
  fc.assert(
    fc.property(fc.string({ minLength: 64 }), (name) => {
      expect(labelValueProblems(labelValueFor(name))).toEqual([]);
    }),
  );
});

test("a long hostile text is refused in linear time", () => {
  for (const text of ["a".repeat(LONG), "a.".repeat(LONG), "-".repeat(LONG), `${"a-".repeat(LONG)}!`]) {
    expect(dns1123LabelProblems(text)).not.toEqual([]);
    expect(dns1123SubdomainProblems(text)).not.toEqual([]);
    expect(labelKeyProblems(text)).not.toEqual([]);
    expect(labelValueProblems(text)).not.toEqual([]);
  }
});
