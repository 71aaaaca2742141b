import { expect, test } from "vitest";
import { nodeHistories } from "./node-histories.ts";

const event = (atMs: number, node: string, what: "joined" | "ready" | "gone") => ({
  atMs,
  step: 1,
  actor: "world",
  happening: { kind: "node", cluster: "quay", node, event: what } as const,
});

test("each Node has its events in order, whatever happens between them", () => {
  const other = { atMs: 2, step: 1, actor: "user", happening: { kind: "step", text: "wait" } as const };
  const events = [
    event(1, "a", "joined"),
    other,
    event(3, "b", "joined"),
    event(4, "a", "ready"),
    event(9, "a", "gone"),
  ];
  expect(nodeHistories(events)).toEqual([
    {
      cluster: "quay",
      node: "a",
      steps: [
        { atMs: 1, event: "joined" },
        { atMs: 4, event: "ready" },
        { atMs: 9, event: "gone" },
      ],
    },
    { cluster: "quay", node: "b", steps: [{ atMs: 3, event: "joined" }] },
  ]);
});
