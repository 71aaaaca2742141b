import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareVersions, minorSkew, parseVersion, versionProblem, withLeadingV } from "./version.ts";

function version(text: string) {
  const parsed = parseVersion(text);
  if (!parsed) throw new Error(`${text} is not a version`);
  return parsed;
}

describe("parseVersion", () => {
  test("reads a version with and without the leading v", () => {
    const expected = { major: 1, minor: 31, patch: 2, prerelease: [], build: "" };
    expect(parseVersion("v1.31.2")).toEqual(expected);
    expect(parseVersion("1.31.2")).toEqual(expected);
  });

  test("reads a prerelease and a build", () => {
    expect(parseVersion("v1.32.0-rc.1+azure.7")).toMatchObject({ prerelease: ["rc", "1"], build: "azure.7" });
  });

  test.each([
    "",
    "v",
    "1",
    "1.31",
    "v1.31",
    "vv1.31.2",
    "V1.31.2",
    "1.031.2",
    "1.31.2-",
    "1.31.2-a..b",
    "1.31.2-01",
    "1.31.2+",
    "1.31.2+a..b",
    " 1.31.2",
    "1.31.2\n",
    "1.31.-2",
    "1.31.9999999999",
    `1.${"9".repeat(100_000)}.0`,
    `1.31.2-${"a.".repeat(100_000)}`,
  ])("refuses %j", (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });
});

test("reports what is wrong with a version", () => {
  expect(versionProblem("v1.31.2")).toBeUndefined();
  expect(versionProblem("1.31.2")).toContain("must start with v");
  expect(versionProblem("v1.31")).toContain("must be a valid semantic version");
});

test("adds the leading v once", () => {
  expect(withLeadingV("1.31.2")).toBe("v1.31.2");
  expect(withLeadingV("v1.31.2")).toBe("v1.31.2");
  expect(withLeadingV("")).toBe("");
  expect(withLeadingV("latest")).toBe("latest");
});

describe("compareVersions", () => {
  test("ranks versions as the semantic versioning standard does", () => {
    const ascending = [
      "1.0.0-alpha",
      "1.0.0-alpha.1",
      "1.0.0-alpha.beta",
      "1.0.0-beta",
      "1.0.0-beta.2",
      "1.0.0-beta.11",
      "1.0.0-rc.1",
      "1.0.0",
      "1.0.1",
      "1.9.0",
      "1.10.0",
      "2.0.0",
    ];
    const shuffled = ascending.toReversed();
    expect(shuffled.sort((a, b) => compareVersions(version(a), version(b)))).toEqual(ascending);
  });

  test("ignores the build and the leading v", () => {
    expect(compareVersions(version("v1.31.2+a"), version("1.31.2+b"))).toBe(0);
  });

  test("is antisymmetric", () => {
    const part = fc.nat(40);
    const any = fc
      .tuple(part, part, part, fc.constantFrom("", "-rc.1", "-rc.2", "-alpha", "-1"))
      .map(([major, minor, patch, rest]) => version(`${major}.${minor}.${patch}${rest}`));
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
      }),
    );
  });
});

test("counts minor versions between two versions of one major", () => {
  expect(minorSkew(version("v1.31.2"), version("v1.28.9"))).toBe(3);
  expect(minorSkew(version("v1.28.2"), version("v1.31.9"))).toBe(-3);
  expect(minorSkew(version("v2.0.0"), version("v1.31.0"))).toBeUndefined();
});
