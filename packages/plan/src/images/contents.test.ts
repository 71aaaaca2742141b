import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ContentsFacts, decideContents, fingerprintOf, wasAsked } from "./contents.ts";
import { INSTALLED_SCRIPT, installedIn, NOT_KNOWN } from "./scripts/installed-script.ts";

const sum = (digit: string): string => digit.repeat(64);

function facts(differences: Partial<ContentsFacts> = {}): ContentsFacts {
  return {
    fingerprint: "n/p/u",
    activeFingerprint: "n/p/u",
    badFingerprints: [],
    isRequested: false,
    intervalsOld: 1,
    ...differences,
  };
}

describe("an image is taken", () => {
  test.each<[string, Partial<ContentsFacts>, string]>([
    ["when a package was installed", { activeFingerprint: "n/q/u" }, "its packages have changed"],
    ["when the log of updates grew", { activeFingerprint: "n/p/v" }, "its log of updates has a new entry"],
    ["when its Node reports a new kernel", { activeFingerprint: "m/p/u" }, "its Node reports"],
    ["when an earlier release recorded no packages", { activeFingerprint: "n" }, "it is not recorded"],
    ["when there is none yet", { activeFingerprint: undefined }, "there is no image"],
    ["after seven intervals", { intervalsOld: 7 }, "the image is 7 intervals old"],
    [
      "when a user asks, also of what was rolled back",
      { isRequested: true, badFingerprints: ["n/p/u"] },
      "a user",
    ],
  ])("%s", (_, differences, why) => {
    expect(decideContents(facts(differences))).toEqual({
      do: "renew",
      why: expect.stringContaining(why) as string,
    });
  });
});

describe("no image is taken", () => {
  test.each<[string, Partial<ContentsFacts>, string, string]>([
    ["when nothing has changed", {}, "Unchanged", "nothing was installed since"],
    ["when the log was rotated", { fingerprint: "n/p/" }, "Unchanged", "nothing was installed since"],
    ["when the donor does not answer", { fingerprint: "n//" }, "Unchanged", "did not tell"],
    ["of what was rolled back", { badFingerprints: ["n/p/u"] }, "SameAsRolledBack", "rolled back"],
    [
      "of what may be what was rolled back",
      { fingerprint: "n//", badFingerprints: ["n/p/u"], activeFingerprint: undefined },
      "SameAsRolledBack",
      "rolled back",
    ],
  ])("%s", (_, differences, reason, why) => {
    expect(decideContents(facts(differences))).toEqual({
      do: "skip",
      reason,
      why: expect.stringContaining(why) as string,
    });
  });

  test("of the same contents, whatever they are, unless a user asks or the image is old", () => {
    const part = fc.stringMatching(/^[0-9a-f+]{0,8}$/);
    const contents = fc.tuple(part, part, part).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(contents, fc.integer({ min: 0, max: 6 }), (one, intervalsOld) => {
        const same = facts({ fingerprint: one, activeFingerprint: one, intervalsOld });
        expect(decideContents(same).do).toBe("skip");
      }),
    );
  });
});

test("the answer of a donor is read line by line, and other lines say nothing", () => {
  const lines = [`${sum("a")}  var/lib/dpkg/status`, `${sum("b")}  var/log/apt/history.log`];
  const expected = { packages: "a".repeat(16), updates: "b".repeat(16) };
  expect(installedIn(lines.join("\n"))).toEqual(expected);
  expect(installedIn(["sudo: unable to resolve host", ...lines.toReversed(), ""].join("\n"))).toEqual(
    expected,
  );
  expect(installedIn("x".repeat(1_000_000))).toEqual(NOT_KNOWN);
  expect(installedIn(`${sum("a")}  etc/passwd`)).toEqual(NOT_KNOWN);
});

test("no answer of a donor can be more than two checksums in the fingerprint", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (output) => {
      const fingerprint = fingerprintOf("n", installedIn(output));
      expect(fingerprint).toMatch(/^n\/[0-9a-f+]{0,80}\/[0-9a-f+]{0,80}$/);
      expect(wasAsked(fingerprint)).toBe(true);
    }),
  );
});

test("the script reads, and writes nothing", () => {
  const commands = INSTALLED_SCRIPT.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(commands.map((line) => line.split(" ")[0])).toEqual(["cd", "sha256sum", "exit"]);
});
