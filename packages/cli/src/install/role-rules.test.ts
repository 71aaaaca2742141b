import { CONTROLLERS } from "@capstan/manager";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EVERYTHING } from "./names.ts";
import { clusterRules, merged } from "./role-rules.ts";

test("rules for the same resource are merged, and resources with the same verbs share a rule", () => {
  const secrets = { apiGroups: [""], resources: ["secrets"] };
  expect(
    merged([
      { apiGroups: ["b"], resources: ["ships", "ships/status"], verbs: ["patch"] },
      { ...secrets, verbs: ["patch", "get"] },
      { apiGroups: ["b"], resources: ["boats"], verbs: ["patch"] },
      { ...secrets, verbs: ["create"] },
      { apiGroups: ["b"], resources: ["ships"], verbs: ["list"] },
    ]),
  ).toEqual([
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch"] },
    { apiGroups: ["b"], resources: ["boats", "ships/status"], verbs: ["patch"] },
    { apiGroups: ["b"], resources: ["ships"], verbs: ["list", "patch"] },
  ]);
});

test("merging neither adds nor removes a permission", () => {
  const words = (...of: string[]) => fc.uniqueArray(fc.constantFrom(...of), { minLength: 1 });
  const rule = fc.record({
    apiGroups: words("", "a", "b.io"),
    resources: words("ships", "ships/status", "boats"),
    verbs: words("get", "list", "patch", "delete", "impersonate"),
  });
  fc.assert(
    fc.property(fc.array(rule), (rules) => {
      expect(permissions(merged(rules))).toEqual(permissions(rules));
    }),
  );
});

test("the manager has every permission that its controllers declare", () => {
  const granted = permissions(clusterRules(EVERYTHING));
  for (const { rbac } of CONTROLLERS) {
    expect([...permissions(rbac)].filter((permission) => !granted.has(permission))).toEqual([]);
  }
});

function permissions(rules: Parameters<typeof merged>[0]): Set<string> {
  return new Set(
    rules
      .flatMap(({ apiGroups, resources, verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
        ),
      )
      .sort(),
  );
}
