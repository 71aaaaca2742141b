import { applyMergePatch, type Frozen, type Node } from "@capstan/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keptFieldsOf, restoring } from "./kept-fields.ts";
import { nodeOf } from "../../pools/machine.fixture.ts";

const BEFORE = nodeOf({
  metadata: {
    labels: {
      "kubernetes.io/hostname": "pool000000",
      "topology.kubernetes.io/zone": "westus2-1",
      "node-role.kubernetes.io/worker": "",
      "example.com/rack": "7",
    },
    annotations: {
      "node.alpha.kubernetes.io/ttl": "0",
      "csi.volume.kubernetes.io/nodeid": "{}",
      "capstan.dev/cordoned": "true",
      "example.com/owner": "alex",
    },
  },
  spec: {
    unschedulable: true,
    taints: [
      { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
      { key: "example.com/gpu", value: "yes", effect: "NoSchedule" },
    ],
  },
});
const FROM = { startedAt: "2026-01-01T00:00:00Z", modelHash: "v1-aa" };
const restored = (node: Node, before: Node): Node =>
  applyMergePatch(node, restoring(node, { ...FROM, ...keptFieldsOf(before) }) ?? {}) as Node;

test("the fields of users are kept, and not those of kubelet and controllers", () => {
  expect(keptFieldsOf(BEFORE)).toEqual({
    nodeName: "pool000000",
    nodeUID: "new-uid",
    bootID: "new-boot",
    labels: { "node-role.kubernetes.io/worker": "", "example.com/rack": "7" },
    annotations: { "example.com/owner": "alex" },
    taints: [{ key: "example.com/gpu", value: "yes", effect: "NoSchedule" }],
    cordonedByUs: true,
  });
});

test("they are restored beside the new Node's own fields, with its resourceVersion", () => {
  const taint = { key: "example.com/new", effect: "NoExecute" };
  const after = nodeOf({
    metadata: { resourceVersion: "12", labels: { "example.com/rack": "8" } },
    spec: { taints: [taint] },
  });
  expect(restoring(after, { ...FROM, ...keptFieldsOf(BEFORE) })).toEqual({
    metadata: {
      resourceVersion: "12",
      labels: { "node-role.kubernetes.io/worker": "" },
      annotations: { "example.com/owner": "alex" },
    },
    spec: { taints: [taint, { key: "example.com/gpu", value: "yes", effect: "NoSchedule" }] },
  });
});

test.each([
  ["that a user cordoned stays cordoned", { unschedulable: true }, true],
  ["that was not cordoned stays schedulable", {}, undefined],
])("a Node that %s", (_, spec, expected) => {
  expect(restored(nodeOf(), nodeOf({ spec })).spec?.unschedulable).toBe(expected);
});

test("a Node that the controller cordoned does not stay cordoned", () => {
  expect(restored(nodeOf(), BEFORE).spec?.unschedulable).toBeUndefined();
});

const texts = fc.dictionary(fc.constantFrom("example.com/a", "b", "kubernetes.io/hostname"), fc.string());
const nodes: fc.Arbitrary<Node> = fc
  .record({
    labels: texts,
    annotations: texts,
    taints: fc.uniqueArray(fc.constantFrom("x", "y", "node.kubernetes.io/not-ready")),
  })
  .map(({ labels, annotations, taints }) =>
    nodeOf({
      metadata: { labels, annotations },
      spec: { taints: taints.map((key) => ({ key, effect: "NoSchedule" })) },
    }),
  );

test("no field of a user is lost, no field of the new Node is changed, and restoring twice changes nothing", () => {
  const keysOf = ({ spec }: Frozen<Node>): readonly string[] => (spec?.taints ?? []).map(({ key }) => key);
  fc.assert(
    fc.property(nodes, nodes, (before, after) => {
      const kept = { ...FROM, ...keptFieldsOf(before) };
      const result = restored(after, before);
      expect(result.metadata.labels).toEqual({ ...kept.labels, ...after.metadata.labels });
      expect(result.metadata.annotations).toEqual({ ...kept.annotations, ...after.metadata.annotations });
      expect(new Set(keysOf(result))).toEqual(
        new Set([...keysOf(after), ...(kept.taints ?? []).map(({ key }) => key)]),
      );
      expect(restoring(result, kept)).toBeUndefined();
    }),
  );
});
