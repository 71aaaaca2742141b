import { machine, node } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import type { NodeLookup } from "../../workload/find-node.ts";
import { decideStatus } from "./decide.ts";

const READY_AT = "2026-01-01T00:00:00Z";
const MINUTE_MS = 60_000;
const infrastructureReady = {
  type: "InfrastructureReady",
  status: "True" as const,
  reason: "Provisioned",
  message: "",
  lastTransitionTime: READY_AT,
};
const nodeRef = { name: "n1" };
const ready = [{ type: "Ready", status: "True" as const, reason: "KubeletReady" }];

/** What the condition of a machine says about its Node, minutes after its infrastructure was ready. */
function nodeReason(parts: object, lookup: NodeLookup, minutes: number): string | undefined {
  const { status, ...rest } = parts as { readonly status?: object };
  const one = machine({
    metadata: { name: "m1" },
    status: { deprecated: { v1beta1: { conditions: [infrastructureReady] } }, ...status },
    ...rest,
  });
  const nowMs = Date.parse(READY_AT) + minutes * MINUTE_MS;
  const { conditions } = decideStatus(one, { node: lookup, set: undefined, nowMs });
  const found = conditions.find(({ type }) => type === "NodeHealthy");
  return found && `${found.status} ${found.reason}`;
}

const none: NodeLookup = { state: "none" };
const withID = { spec: { providerID: "x://1" } };

describe("the condition about the Node of a machine", () => {
  test.each<[string, object, NodeLookup, number, string]>([
    ["has no provider id yet", {}, none, 30, "False WaitingForNodeRef"],
    ["may still join", withID, none, 9, "False NodeProvisioning"],
    ["did not join in ten minutes", withID, none, 10, "False NodeNotJoined"],
    ["has lost its Node", { ...withID, status: { nodeRef } }, none, 30, "False NodeNotFound"],
    [
      "has a Node that is Ready",
      withID,
      { state: "found", node: node({ status: { conditions: ready } }) },
      1,
      "True NodeReady",
    ],
    [
      "has a Node that is not Ready",
      withID,
      { state: "found", node: node({ status: { conditions: [] } }) },
      1,
      "False NodeConditionsFailed",
    ],
    ["shares its id with another Node", withID, { state: "disputed", message: "x" }, 1, "False NodeDisputed"],
    [
      "cannot be asked about",
      withID,
      { state: "unknown", reason: "WorkloadUnreachable", message: "x" },
      1,
      "Unknown WorkloadUnreachable",
    ],
  ])("says that it %s", (_, parts, lookup, minutes, expected) => {
    expect(nodeReason(parts, lookup, minutes)).toBe(expected);
  });
});
