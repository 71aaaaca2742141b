import type { Node } from "@capstan/api";
import { node, type Overrides } from "@capstan/runtime/testing/builders";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeRefCache } from "../../workload/node-ref-cache.ts";
import { countNodes } from "./count-nodes.ts";

const NOW_MS = Date.parse("2026-01-01T00:10:00Z");
const options = { minReadySeconds: 60, nowMs: NOW_MS };

function nodeOf(providerID: string, sinceSeconds: number | undefined, overrides: Overrides<Node> = {}): Node {
  const status = sinceSeconds === undefined ? "False" : "True";
  const lastTransitionTime = new Date(NOW_MS - (sinceSeconds ?? 0) * 1000).toISOString();
  const conditions = [{ type: "Ready", status, lastTransitionTime }] as const;
  return node(
    {
      metadata: { name: providerID, uid: `uid-${providerID}` },
      spec: { providerID },
      status: { conditions: [...conditions] },
    },
    overrides,
  );
}

const among =
  (...nodes: Node[]) =>
  ({ key }: NodeRefCache): Node[] =>
    nodes.filter(({ spec }) => spec?.providerID === key);

describe("the Nodes of a pool", () => {
  test("are named in the order of the machines, without machines that have no Node", () => {
    const count = countNodes(["b", "a", "c"], among(nodeOf("a", 100), nodeOf("b", undefined)), options);
    expect(count.refs).toEqual([
      { apiVersion: "v1", kind: "Node", name: "b", uid: "uid-b" },
      { apiVersion: "v1", kind: "Node", name: "a", uid: "uid-a" },
    ]);
    expect(count).toMatchObject({ ready: 1, available: 1, disputed: [] });
  });

  test.each<[string, Overrides<Node>, number]>([
    ["cordoned", { spec: { unschedulable: true } }, 0],
    [
      "not initialized",
      { spec: { taints: [{ key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" }] } },
      0,
    ],
    ["being deleted", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }, 0],
    ["tainted by a user", { spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } }, 1],
  ])("that are Ready and %s are ready, and available: %s", (_, overrides, available) => {
    expect(countNodes(["a"], among(nodeOf("a", 100, overrides)), options)).toMatchObject({
      ready: 1,
      available,
    });
  });

  test("are counted by the versions of their kubelets, the oldest first", () => {
    const running = (kubeletVersion: string): Overrides<Node> => ({
      status: { nodeInfo: { kubeletVersion } },
    });
    const nodes = [
      nodeOf("a", 100, running("v1.34.1")),
      nodeOf("b", undefined, running("v1.33.5")),
      nodeOf("c", 100, running("v1.34.1")),
      nodeOf("d", 100),
    ];
    expect(countNodes(["a", "b", "c", "d"], among(...nodes), options).versions).toEqual([
      { version: "v1.33.5", replicas: 1 },
      { version: "v1.34.1", replicas: 2 },
    ]);
  });

  test("become available when they have been Ready for long enough", () => {
    const count = countNodes(["a", "b"], among(nodeOf("a", 59), nodeOf("b", 10)), options);
    expect(count).toMatchObject({ ready: 2, available: 0, nextAvailableMs: NOW_MS + 1_000 });
    expect(countNodes(["a"], among(nodeOf("a", 60)), options)).toMatchObject({ available: 1 });
  });

  test("do not count when two of them claim one machine", () => {
    const count = countNodes(
      ["a"],
      among(nodeOf("a", 100), nodeOf("a", 100, { metadata: { name: "x" } })),
      options,
    );
    expect(count).toMatchObject({ refs: [], ready: 0, available: 0, disputed: ["a"] });
  });

  test("are never more available than ready, nor more ready than existing, nor counted twice", () => {
    const id = fc.constantFrom("a", "b", "c", "d");
    fc.assert(
      fc.property(
        fc.array(id),
        fc.array(fc.tuple(id, fc.option(fc.nat(200), { nil: undefined }))),
        (ids, found) => {
          const { refs, ready, available } = countNodes(
            ids,
            among(...found.map(([one, since]) => nodeOf(one, since))),
            options,
          );
          expect(available).toBeLessThanOrEqual(ready);
          expect(ready).toBeLessThanOrEqual(refs.length);
          expect(refs.length).toBeLessThanOrEqual(new Set(ids).size);
        },
      ),
    );
  });
});
