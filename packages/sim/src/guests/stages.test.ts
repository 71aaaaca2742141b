import { createRng } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { drawTotalMs, type GuestEvent, type GuestState, NEW_GUEST, nextStep, type Stage } from "./stages.ts";

const FAILURE = { reason: "Why", message: "because" };
const JOINED: Partial<GuestState> = { isProvisioned: true, isJoined: true };

/** One row of the table: stage, event, next stage, actions. */
type Line = readonly [from: Stage, given: Partial<GuestState>, event: GuestEvent, to: Stage, does: string];

const LINES: readonly Line[] = [
  ["new", {}, { kind: "booted", totalMs: 100 }, "booting", "wait 50"],
  ["booting", {}, { kind: "elapsed" }, "cloud-init", "boot, wait 15"],
  ["booting", JOINED, { kind: "elapsed" }, "registered", "boot, register, wait 15"],
  ["booting", { isProvisioned: true }, { kind: "elapsed" }, "failed", "boot"],
  ["cloud-init", {}, { kind: "elapsed" }, "cloud-init", "provision"],
  ["cloud-init", {}, { kind: "understood" }, "joining", "wait 20"],
  ["cloud-init", {}, { kind: "failed", failure: FAILURE }, "failed", ""],
  ["joining", {}, { kind: "elapsed" }, "joining", "join"],
  ["joining", {}, { kind: "refused", failure: FAILURE }, "joining", ""],
  ["joining", { failure: FAILURE }, { kind: "nodeChanged" }, "joining", "join"],
  ["joining", {}, { kind: "joined" }, "registered", "register, wait 15"],
  ["joining", {}, { kind: "failed", failure: FAILURE }, "failed", ""],
  ["registered", JOINED, { kind: "elapsed" }, "ready", "reportReady"],
  ["ready", JOINED, { kind: "stopped" }, "stopped", "fallSilent"],
  ["joining", {}, { kind: "stopped" }, "stopped", ""],
  ["stopped", JOINED, { kind: "started", totalMs: 100 }, "booting", "fallSilent, wait 50"],
  ["ready", JOINED, { kind: "reimaged", totalMs: 100 }, "booting", "fallSilent, wait 50"],
  ["ready", JOINED, { kind: "deleted" }, "deleted", "fallSilent, forget"],
  ["failed", {}, { kind: "deleted" }, "deleted", "forget"],
];

describe("a guest", () => {
  test.each(LINES)("that is %s with %o goes by %o to %s and does: %s", (stage, given, event, to, does) => {
    const step = nextStep({ ...NEW_GUEST, stage, totalMs: 100, ...given }, event, 7);
    expect(step?.state.stage).toBe(to);
    const done = step?.actions.map((action) => (action.do === "wait" ? `wait ${action.forMs}` : action.do));
    expect(done?.join(", ")).toBe(does);
  });

  test.each<[Stage, GuestEvent]>([
    ["joining", { kind: "nodeChanged" }],
    ["ready", { kind: "elapsed" }],
    ["ready", { kind: "joined" }],
    ["stopped", { kind: "elapsed" }],
    ["failed", { kind: "understood" }],
    ["deleted", { kind: "booted", totalMs: 1 }],
  ])("that is %s ignores %o", (stage, event) => {
    expect(nextStep({ ...NEW_GUEST, stage }, event, 7)).toBeUndefined();
  });

  test("forgets on a fresh disk that it had joined or failed", () => {
    const state: GuestState = { ...NEW_GUEST, stage: "failed", ...JOINED, failure: FAILURE };
    expect(nextStep(state, { kind: "reimaged", totalMs: 1 }, 7)?.state).toEqual({
      stage: "booting",
      sinceMs: 7,
      totalMs: 1,
      isProvisioned: false,
      isJoined: false,
      failure: undefined,
    });
  });

  test("keeps the reason of its failure until it joins", () => {
    const joining: GuestState = { ...NEW_GUEST, stage: "joining" };
    const refused = nextStep(joining, { kind: "refused", failure: FAILURE }, 7)?.state ?? joining;
    expect(refused.failure).toBe(FAILURE);
    expect(nextStep(refused, { kind: "joined" }, 8)?.state.failure).toBeUndefined();
  });
});

test("half of the guests are Ready within p50 and nine of ten within p90", () => {
  const rng = createRng("seed", "boot");
  const drawn = Array.from({ length: 4000 }, () => drawTotalMs({ p50: 60, p90: 120 }, rng));
  const share = (limitMs: number): number => drawn.filter((ms) => ms <= limitMs).length / drawn.length;
  expect(share(60_000)).toBeCloseTo(0.5, 1);
  expect(share(120_000)).toBeCloseTo(0.9, 1);
});
