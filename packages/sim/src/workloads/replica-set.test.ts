import { describe, expect, test } from "vitest";
import { pod } from "./builders.fixture.ts";
import { decideReplicas } from "./replica-set.ts";

const reported = (...args: Parameters<typeof decideReplicas>): string[] =>
  decideReplicas(...args).map((action) => (action.type === "delete" ? `-${action.pod.metadata.name}` : "+"));

describe("a ReplicaSet", () => {
  test.each([
    ["creates what is missing", 3, [pod("a")], ["+", "+"]],
    [
      "replaces pods that are going or have ended",
      2,
      [pod("a", { deleting: true }), pod("b", { status: { phase: "Failed" } })],
      ["+", "+"],
    ],
    ["does nothing when it has what it wants", 1, [pod("a"), pod("b", { deleting: true })], []],
    ["gives up pods without a node first", 1, [pod("a", { node: "n", ready: false }), pod("b")], ["-b"]],
    [
      "then pods that are not ready",
      1,
      [pod("a", { node: "n" }), pod("b", { node: "n", ready: false })],
      ["-b"],
    ],
    [
      "then those that share a node",
      2,
      [pod("a", { node: "m" }), pod("b", { node: "n" }), pod("c", { node: "n" })],
      ["-b"],
    ],
    [
      "then the youngest",
      1,
      [pod("a", { node: "n", bornAfter: -90 }), pod("b", { node: "n", bornAfter: -10 })],
      ["-b"],
    ],
  ])("%s", (_, desired, pods, actions) => {
    expect(reported(desired, pods)).toEqual(actions);
  });
});
