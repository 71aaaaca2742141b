import type { Node } from "@capstan/api";
import { node, type Overrides } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { keysIn } from "./nodes.ts";

const PROVIDER_ID = "azure:///a/b";
const READY = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" } as const;

function nodeWith(changes: Overrides<Node> = {}): Node {
  return node({ spec: { providerID: PROVIDER_ID }, status: { conditions: [READY] } }, changes);
}

function keysAfter(changes: Overrides<Node>): readonly string[] {
  return keysIn({ type: "updated", previous: nodeWith(), object: nodeWith(changes) });
}

describe("a changed Node", () => {
  test.each<readonly [string, Overrides<Node>]>([
    ["is cordoned", { spec: { unschedulable: true } }],
    ["is not Ready any more", { status: { conditions: [{ ...READY, status: "False" }] } }],
    [
      "became Ready again meanwhile",
      { status: { conditions: [{ ...READY, lastTransitionTime: "2026-01-02T00:00:00Z" }] } },
    ],
    [
      "is not initialized by the cloud provider",
      { spec: { taints: [{ key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" }] } },
    ],
    ["is being deleted", { metadata: { deletionTimestamp: "2026-01-02T00:00:00Z" } }],
    ["runs another version", { status: { nodeInfo: { kubeletVersion: "v1.34.1" } } }],
  ])("is reported when it %s", (_, changes) => {
    expect(keysAfter(changes)).toEqual([PROVIDER_ID]);
  });

  test.each<readonly [string, Overrides<Node>]>([
    ["its kubelet sends a heartbeat", { status: { conditions: [{ ...READY, message: "3m4s ago" }] } }],
    [
      "the control plane taints it",
      { spec: { taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] } },
    ],
    ["a user labels it", { metadata: { labels: { a: "b" } } }],
  ])("is not reported because %s", (_, changes) => {
    expect(keysAfter(changes)).toEqual([]);
  });
});
