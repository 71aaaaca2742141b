import { describe, expect, test } from "vitest";
import { Failure, terminal, transient, waiting } from "../failure.ts";
import { again, block, next, type Outcome } from "./outcome.ts";
import { forEachIndependently, independent, runPhases } from "./phases.ts";
import type { Phase } from "./reconciler.ts";

type Scope = string[];

const phase =
  (name: string, end: Outcome | Error = next): Phase<Scope> =>
  (scope) => {
    scope.push(name);
    if (end instanceof Error) throw end;
    return end;
  };

async function failureOf(phases: readonly Phase<Scope>[], ran: Scope = []): Promise<Failure> {
  const error: unknown = await runPhases(phases, ran).catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) throw new Error("expected a Failure", { cause: error });
  return error;
}

describe("independent phases", () => {
  test("all run, also after one that failed or blocked", async () => {
    const ran: Scope = [];
    const phases = [
      independent(phase("a", waiting("A", "a waits", 5)), phase("b", block(1, "B")), phase("c")),
      phase("d"),
    ];
    expect(await failureOf(phases, ran)).toMatchObject({ failure: "Waiting", reason: "A" });
    expect(ran).toEqual(["a", "b", "c"]);
  });

  test("requeue at the soonest, and block the phases after them when one of them blocks", async () => {
    const ran: Scope = [];
    const both = independent(phase("a", block(9, "A")), phase("b", again(3, "B")));
    expect(await runPhases([both, phase("c")], ran)).toEqual(block(3, "B"));
    expect(ran).toEqual(["a", "b"]);
  });

  test("stop at a bug", async () => {
    const ran: Scope = [];
    const bug = new TypeError("undefined is not a pool");
    await expect(runPhases([independent(phase("a", bug), phase("b"))], ran)).rejects.toBe(bug);
    expect(ran).toEqual(["a"]);
  });

  test.each<[string, Failure[], object]>([
    [
      "a needed retry happens, and the message starts with the correction for the user",
      [transient("Busy", "Azure is busy"), terminal("Wrong", "spec.size is wrong")],
      { failure: "Transient", reason: "Wrong", message: "spec.size is wrong; Azure is busy" },
    ],
    [
      "a wait beside a Terminal failure is not delayed until the next probe",
      [waiting("Soon", "a PUT runs", 7), terminal("Wrong", "spec.size is wrong"), waiting("Later", "b", 90)],
      {
        failure: "Terminal",
        reason: "Wrong",
        message: "spec.size is wrong; a PUT runs; b",
        retryAfterMs: 7,
      },
    ],
    [
      "a Retry-After of a server is kept",
      [waiting("Soon", "a PUT runs", 7), transient("Throttled", "429", { retryAfterMs: 60 })],
      { failure: "Transient", reason: "Throttled", retryAfterMs: 60 },
    ],
    [
      "a conflict is retried as a conflict, with any other failure",
      [terminal("Wrong", "spec.size is wrong"), new Failure("Conflict", "Conflict", { message: "stale" })],
      { failure: "Conflict", message: "stale" },
    ],
  ])("fail together: %s", async (_, failures, expected) => {
    const phases = failures.map((failure, index) => phase(String(index), failure));
    expect(await failureOf([independent(...phases)])).toMatchObject(expected);
  });
});

describe("work on several items", () => {
  const actOn = (bad: readonly number[], seen: number[]) => (item: number) => {
    seen.push(item);
    return bad.includes(item) ? Promise.reject(terminal("Denied", `${item} is denied`)) : Promise.resolve();
  };

  test("goes on after an item that failed, and reports the failure", async () => {
    const seen: number[] = [];
    const work = forEachIndependently([1, 2, 3], actOn([2], seen));
    await expect(work).rejects.toMatchObject({ reason: "Denied", message: "2 is denied" });
    expect(seen).toEqual([1, 2, 3]);
  });

  test("ends after ten failures: a server that refuses everything is not asked hundreds of times", async () => {
    const items = Array.from({ length: 100 }, (_, index) => index);
    const seen: number[] = [];
    await expect(forEachIndependently(items, actOn(items, seen))).rejects.toThrow("is denied");
    expect(seen).toHaveLength(10);
  });

  test("stops at a bug", async () => {
    const bug = new TypeError("undefined is not a machine");
    await expect(forEachIndependently([1, 2], () => Promise.reject(bug))).rejects.toBe(bug);
  });
});
