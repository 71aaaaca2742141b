import { dns1123LabelProblems } from "@capstan/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { logicalName } from "./logical-name.ts";

test.each([
  ["demo", "default", "demo"],
  ["demo", "team-a", /^team-a-demo--[0-9a-f]{16}$/],
  ["management", "default", /^default-management--/],
  ["my.cluster", "default", /^default-my-cluster--/],
  ["a--b", "default", /^default-a--b--/],
])("the logical cluster of %s in %s is %s", (name, namespace, expected) => {
  expect(logicalName({ name, namespace })).toMatch(expected);
});

test("every Cluster has a logical cluster of its own, with a name that fits", () => {
  const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  const namespace = fc.oneof(fc.constant("default"), label);
  const name = fc.oneof(label, fc.constantFrom("management", "x.y", "x-y", "default-x-y"));
  fc.assert(
    fc.property(name, namespace, name, namespace, (a, inA, b, inB) => {
      const [first, second] = [
        logicalName({ name: a, namespace: inA }),
        logicalName({ name: b, namespace: inB }),
      ];
      expect(dns1123LabelProblems(first)).toEqual([]);
      expect(first === second).toBe(a === b && inA === inB);
      expect(first).not.toBe("management");
    }),
  );
});

test("the name of a derived logical cluster is never that of another Cluster itself", () => {
  const derived = logicalName({ name: "demo", namespace: "team-a" });
  expect(logicalName({ name: derived, namespace: "default" })).not.toBe(derived);
});
