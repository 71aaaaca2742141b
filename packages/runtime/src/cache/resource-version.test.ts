import fc from "fast-check";
import { expect, test } from "vitest";
import { compareVersions } from "./resource-version.ts";

test("orders versions as numbers of any length", () => {
  const version = fc.bigInt({ min: 0n, max: 2n ** 80n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      const desired = a < b ? -1 : Number(a > b);
      expect(Math.sign(compareVersions(String(a), String(b)))).toBe(desired);
    }),
  );
});
