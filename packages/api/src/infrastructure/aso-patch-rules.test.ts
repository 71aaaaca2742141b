import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { applyMergePatch } from "../values/merge-patch.ts";
import { stringify } from "yaml";
import { parseAsoPatch } from "./aso-patch.ts";
import { protectedPointers, asoPatchErrors } from "./aso-patch-rules.ts";

const pointersOf = (patch: unknown): readonly string[] => {
  const fromJson = protectedPointers(parseAsoPatch(JSON.stringify(patch)));
  expect(protectedPointers(parseAsoPatch(stringify(patch)))).toEqual(fromJson);
  return fromJson;
};

const ACCEPTED: readonly unknown[] = [
  {},
  { spec: { enableNamespaceResources: true } },
  { spec: { networkProfile: { kubeProxyConfig: { enabled: false } } } },
  { spec: { operatorSpec: { configMaps: { a: 1 } } } },
  { spec: { operatorSpec: { secrets: {} } } },
  { spec: { operatorSpec: { secrets: { other: {} } } } },
  { metadata: { labels: { mine: "x" }, annotations: { other: null } } },
  { metadata: {} },
  [{ op: "add", path: "/spec/nodeInitializationTaints", value: ["a=b:NoSchedule"] }],
  [{ op: "test", path: "/spec/azureName", value: "x" }],
  [{ op: "copy", from: "/spec/location", path: "/spec/dnsPrefix" }],
  [{ op: "remove", path: "/spec/ownership" }],
  [{ op: "add", path: "/metadata/labels/mine", value: "x" }],
  [{ op: "add", path: "/spec/operatorSpec/secrets/other", value: {} }],
  { metadata: { labels: { "app.kubernetes.io/name": "x", "team.example.com/owner": "y" } } },
  { metadata: { annotations: { "azure.com.example.com/a": "x", "example.com/x-k8s.io": "y" } } },
];

const CREDENTIALS = "/spec/operatorSpec/secrets/*Credentials";
const LABELS = [
  "/metadata/labels/*.azure.com~1*",
  "/metadata/labels/*cluster.x-k8s.io~1*",
  "/metadata/labels/sigs.k8s.io~1cluster-api-provider-azure-*",
  "/metadata/labels/kubectl.kubernetes.io~1*",
  "/metadata/labels/*capstan.dev~1*",
];

const FORBIDDEN: readonly (readonly [unknown, readonly string[]])[] = [
  [{ apiVersion: "v2", kind: "X" }, ["/apiVersion", "/kind"]],
  [{ metadata: { name: "x" } }, ["/metadata/name"]],
  [{ metadata: { labels: null } }, LABELS],
  [{ spec: { owner: { name: "x" }, azureName: null } }, ["/spec/owner", "/spec/azureName"]],
  [{ spec: { agentPoolProfiles: [] } }, ["/spec/agentPoolProfiles"]],
  [{ spec: { operatorSpec: null } }, [CREDENTIALS]],
  [
    { spec: { operatorSpec: { secrets: { userCredentials: {} } } } },
    ["/spec/operatorSpec/secrets/userCredentials"],
  ],
  [
    { metadata: { annotations: { "serviceoperator.azure.com/reconcile-policy": "skip" } } },
    ["/metadata/annotations/serviceoperator.azure.com~1reconcile-policy"],
  ],
  [
    { spec: { operatorSpec: { secrets: { futureCredentials: null } } } },
    ["/spec/operatorSpec/secrets/futureCredentials"],
  ],
  [
    {
      metadata: {
        annotations: {
          "sigs.k8s.io/cluster-api-provider-azure-pre-pause-reconcile-policy": "manage",
          "serviceoperator.azure.com/poller-resume-token": "x",
          "kubectl.kubernetes.io/last-applied-configuration": "{}",
          "clusterctl.cluster.x-k8s.io/block-move": "true",
          "azure.capstan.dev/adopt": "true",
        },
        labels: { "topology.cluster.x-k8s.io/owned": "" },
      },
    },
    [
      "/metadata/labels/topology.cluster.x-k8s.io~1owned",
      "/metadata/annotations/serviceoperator.azure.com~1poller-resume-token",
      "/metadata/annotations/clusterctl.cluster.x-k8s.io~1block-move",
      "/metadata/annotations/sigs.k8s.io~1cluster-api-provider-azure-pre-pause-reconcile-policy",
      "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration",
      "/metadata/annotations/azure.capstan.dev~1adopt",
    ],
  ],
  [{ spec: { operatorSpec: { secrets: "none" } } }, [CREDENTIALS]],
  [{ status: {} }, ["/status"]],
  [{ spec: null }, ["/spec/owner", "/spec/azureName", "/spec/agentPoolProfiles", CREDENTIALS]],
  [[{ op: "replace", path: "/spec/owner/name", value: "x" }], ["/spec/owner"]],
  [[{ op: "move", from: "/spec/azureName", path: "/spec/x" }], ["/spec/azureName"]],
  [[{ op: "move", from: "/spec/x", path: "/spec/azureName" }], ["/spec/azureName"]],
  [[{ op: "copy", from: "/spec/x", path: "/spec/azureName" }], ["/spec/azureName"]],
  [[{ op: "copy", from: "/spec/azureName", path: "/spec/dnsPrefix" }], ["/spec/azureName"]],
  [[{ op: "copy", from: "/spec/operatorSpec", path: "/spec/x" }], [CREDENTIALS]],
  [
    [{ op: "remove", path: "/spec/operatorSpec/secrets/adminCredentials/name" }],
    ["/spec/operatorSpec/secrets/adminCredentials"],
  ],
  [
    [
      { op: "test", path: "/spec/a", value: 1 },
      { op: "remove", path: "/status/x" },
      { op: "remove", path: "/kind" },
    ],
    ["/kind", "/status"],
  ],
  [[{ op: "add", path: "/metadata/labels", value: {} }], LABELS],
  [
    [{ op: "remove", path: "/metadata/annotations/serviceoperator.azure.com~1credential-from" }],
    ["/metadata/annotations/serviceoperator.azure.com~1credential-from"],
  ],
];

describe("a patch in YAML or JSON", () => {
  test.each(ACCEPTED)("may say %j", (patch) => {
    expect(pointersOf(patch)).toEqual([]);
  });

  test.each(FORBIDDEN)("may not contain %j", (patch, pointers) => {
    expect(pointersOf(patch)).toEqual(pointers);
  });

  test.each(["replace", "add"])("cannot %s the whole resource", (op) => {
    expect(pointersOf([{ op, path: "", value: {} }])).toHaveLength(21);
  });

  test("that is an accepted merge patch leaves the protected fields unchanged", () => {
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
    const patch = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
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
        fc.pre(protectedPointers({ type: "merge", body: given }).length === 0);
        expect(applyMergePatch(resource, given)).toMatchObject(resource);
      }),
    );
  });
});

test("an error names the index of the patch and the path", () => {
  const patches = [
    "spec: {a: 1}",
    '{"spec":{"owner":{"name":"x"}}}',
    "spec:\n  owner: null\n  azureName: other\n",
    "7",
    "spec: {a: 1, a: 2}",
    "- op: remove\n  path: spec\n",
  ];
  const set = "is not patchable: the controller sets it";
  expect(asoPatchErrors("spec.patches", patches).map(formatFieldError)).toEqual([
    `spec.patches[1]: Forbidden: /spec/owner ${set}`,
    `spec.patches[2]: Forbidden: /spec/owner ${set}`,
    `spec.patches[2]: Forbidden: /spec/azureName ${set}`,
    'spec.patches[3]: Invalid value: "7": must be an object (JSON merge patch) or a list of operations (JSON patch)',
    'spec.patches[4]: Invalid value: "spec: {a: 1, a: 2}": must be YAML or JSON: Map keys must be unique at line 1, column 14',
    'spec.patches[5]: Invalid value: "- op: remove\\n  path: spec\\n": operation 0 (remove) must have a JSON pointer such as /spec/field as path, not "spec"',
  ]);
  expect(asoPatchErrors("spec.patches", undefined)).toEqual([]);
});
