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

test("every Cluster has its own logical cluster, with a valid name", () => {
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

test("a derived name never equals the name of another Cluster", () => {
  const derived = logicalName({ name: "demo", namespace: "team-a" });
  expect(logicalName({ name: derived, namespace: "default" })).not.toBe(derived);
});
