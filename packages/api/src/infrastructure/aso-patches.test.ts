import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { asoPatchProblems, validateAsoPatches, warnAsoPatches } from "./aso-patches.ts";

const SET = "is not patchable: the controller sets it";

const ACCEPTED: readonly unknown[] = [
  {},
  { spec: { enableNamespaceResources: true } },
  { spec: { networkProfile: { kubeProxyConfig: { enabled: false } } } },
  { spec: { operatorSpec: { configMaps: { a: 1 } } } },
  { spec: { operatorSpec: { secrets: {} } } },
  { metadata: { labels: { mine: "x" }, annotations: { other: null } } },
  { metadata: {} },
  [],
  [{ op: "add", path: "/spec/nodeInitializationTaints", value: ["a=b:NoSchedule"] }],
  [{ op: "test", path: "/spec/azureName", value: "x" }],
  [{ op: "copy", from: "/spec/azureName", path: "/spec/dnsPrefix" }],
  [{ op: "remove", path: "/spec/ownership" }],
  [{ op: "add", path: "/metadata/labels/mine", value: "x" }],
];

const FORBIDDEN: readonly (readonly [unknown, readonly string[]])[] = [
  [{ apiVersion: "v2", kind: "X" }, ["/apiVersion", "/kind"]],
  [{ metadata: { name: "x" } }, ["/metadata/name"]],
  [{ metadata: { labels: null } }, ["/metadata/labels/cluster.x-k8s.io~1cluster-name"]],
  [{ spec: { owner: { name: "x" }, azureName: null } }, ["/spec/owner", "/spec/azureName"]],
  [{ spec: { agentPoolProfiles: [] } }, ["/spec/agentPoolProfiles"]],
  [
    { spec: { operatorSpec: null } },
    ["/spec/operatorSpec/secrets/adminCredentials", "/spec/operatorSpec/secrets/userCredentials"],
  ],
  [
    { spec: { operatorSpec: { secrets: { userCredentials: {} } } } },
    ["/spec/operatorSpec/secrets/userCredentials"],
  ],
  [
    { metadata: { annotations: { "serviceoperator.azure.com/reconcile-policy": "skip" } } },
    ["/metadata/annotations/serviceoperator.azure.com~1reconcile-policy"],
  ],
  [{ status: {} }, ["/status"]],
  [[{ op: "replace", path: "/spec/owner/name", value: "x" }], ["/spec/owner"]],
  [[{ op: "move", from: "/spec/azureName", path: "/spec/x" }], ["/spec/azureName"]],
  [[{ op: "copy", from: "/spec/x", path: "/spec/azureName" }], ["/spec/azureName"]],
  [[{ op: "add", path: "/metadata/labels", value: {} }], ["/metadata/labels/cluster.x-k8s.io~1cluster-name"]],
  [
    [{ op: "remove", path: "/metadata/annotations/serviceoperator.azure.com~1credential-from" }],
    ["/metadata/annotations/serviceoperator.azure.com~1credential-from"],
  ],
];

describe("asoPatchProblems", () => {
  test.each(ACCEPTED)("accepts %j", (patch) => {
    expect(asoPatchProblems(patch)).toEqual([]);
  });

  test.each(FORBIDDEN)("refuses %j", (patch, pointers) => {
    expect(asoPatchProblems(patch)).toEqual(pointers.map((pointer) => ({ pointer, detail: SET })));
  });

  test("a whole object cannot be replaced in one go", () => {
    expect(asoPatchProblems([{ op: "replace", path: "", value: {} }])).toHaveLength(15);
  });

  test.each([null, 1, "x", true])("rejects %j, which is no patch", (patch) => {
    expect(asoPatchProblems(patch)).toEqual([
      { pointer: "", detail: "must be an object (JSON merge patch) or a list of operations (JSON patch)" },
    ]);
  });

  test.each([
    [[1], "operation 0 must be an object whose op is one of add, remove, replace, move, copy, test"],
    [
      [{ op: "delete", path: "/a" }],
      "operation 0 must be an object whose op is one of add, remove, replace, move, copy, test",
    ],
    [
      [{ op: "remove", path: "spec" }],
      "operation 0 (remove) must have a JSON pointer such as /spec/field as path",
    ],
    [
      [{ op: "remove", path: "/a~2" }],
      "operation 0 (remove) must have a JSON pointer such as /spec/field as path",
    ],
    [[{ op: "move", path: "/a" }], "operation 0 (move) must have a JSON pointer such as /spec/field as from"],
    [[{ op: "add", path: "/a" }], "operation 0 (add) must have a value"],
  ])("says what is malformed in %j", (patch, detail) => {
    expect(asoPatchProblems(patch)).toEqual([{ pointer: "", detail }]);
  });

  test("a merge patch that is accepted leaves the protected fields as they are", () => {
    const key = fc.constantFrom(
      "spec",
      "metadata",
      "status",
      "owner",
      "azureName",
      "operatorSpec",
      "secrets",
      "labels",
      "x",
    );
    const patch = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.constant(null), fc.string(), tie("object")),
      object: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    })).object;
    const resource = {
      metadata: { name: "n", labels: { "cluster.x-k8s.io/cluster-name": "c" } },
      status: { a: 1 },
      spec: {
        owner: { name: "o" },
        azureName: "a",
        operatorSpec: { secrets: { adminCredentials: { name: "s" } } },
      },
    };
    fc.assert(
      fc.property(patch, (given) => {
        fc.pre(asoPatchProblems(given).length === 0);
        expect(merged(resource, given)).toMatchObject(resource);
      }),
    );
  });
});

/** RFC 7386 in its shortest form. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null) return patch;
  const result: Record<string, unknown> =
    typeof target === "object" && target !== null ? { ...(target as Record<string, unknown>) } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

describe("validateAsoPatches", () => {
  test("names the index and the path", () => {
    const patches = ['{"spec":{"a":1}}', '{"spec":{"owner":{"name":"x"}}}', "7", " "];
    expect(validateAsoPatches(patches, "spec.patches").map(formatFieldError)).toEqual([
      `spec.patches[1]: Forbidden: /spec/owner ${SET}`,
      'spec.patches[2]: Invalid value: "7": must be an object (JSON merge patch) or a list of operations (JSON patch)',
      'spec.patches[3]: Invalid value: " ": must be an object (JSON merge patch) or a list of operations (JSON patch)',
    ]);
  });

  test("leaves YAML to whoever can read it, with a warning", () => {
    const patches = ["spec:\n  enableNamespaceResources: true\n", "{}"];
    expect(validateAsoPatches(patches, "p")).toEqual([]);
    expect(warnAsoPatches(patches, "p")).toEqual(["p[0] is not JSON: it is checked only when it is applied"]);
  });
});
