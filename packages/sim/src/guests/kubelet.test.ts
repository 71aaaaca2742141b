import { describe, expect, test } from "vitest";
import { conditionsOf } from "./kubelet.ts";

const FIRST_MS = Date.UTC(2026, 0, 1);
const LATER_MS = FIRST_MS + 60_000;
const FIRST = "2026-01-01T00:00:00Z";
const LATER = "2026-01-01T00:01:00Z";

describe("the conditions of a node", () => {
  test("keep the time of their last change while they stay the same", () => {
    const starting = conditionsOf("starting", [], FIRST_MS);
    const ready = conditionsOf("ready", starting, LATER_MS);
    const times = ready.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]);
    expect(times).toEqual([
      ["MemoryPressure", FIRST],
      ["DiskPressure", FIRST],
      ["PIDPressure", FIRST],
      ["Ready", LATER],
    ]);
  });

  test("are all Unknown when the kubelet is silent, with the last heartbeat", () => {
    const ready = conditionsOf("ready", [], FIRST_MS);
    for (const condition of conditionsOf("silent", ready, LATER_MS)) {
      expect(condition).toMatchObject({
        status: "Unknown",
        reason: "NodeStatusUnknown",
        lastHeartbeatTime: FIRST,
        lastTransitionTime: LATER,
      });
    }
  });
});
