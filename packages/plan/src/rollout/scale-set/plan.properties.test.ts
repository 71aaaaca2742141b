import { resolveRolloutBudget } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PoolAction } from "./action.ts";
import { NOW_MS, machine, pool } from "./plan.fixture.ts";
import { type PoolPlan, planPool } from "./plan.ts";
import { isGuarded } from "./removal-guard.ts";
import { runStory } from "./stories/story.fixture.ts";
import type { MachineView, PoolView } from "./view.ts";

const anyLimit = fc.oneof(fc.nat(4), fc.constantFrom("0%", "10%", "25%", "50%", "100%"));
const anyHash = fc.constantFrom("A", "B", "C");

const anyMachine = fc.record({
  pool: fc.constantFrom("mp", "mp", "mp", "mp-1"),
  hasResource: fc.boolean(),
  hasInstance: fc.boolean(),
  modelHash: anyHash,
  vmState: fc.constantFrom(
    "Creating",
    "Running",
    "Running",
    "Updating",
    "Failed",
    "Deleting",
    "Stopped",
    "Unknown",
  ),
  isAvailable: fc.boolean(),
  unavailableSinceMs: fc.constantFrom(undefined, NOW_MS - 60_000, NOW_MS - 11 * 60_000),
  isDeleting: fc.boolean(),
  deletedByUser: fc.boolean(),
  hasDeleteAnnotation: fc.boolean(),
  isSurge: fc.boolean(),
  picked: fc.constantFrom(undefined, undefined, "delete", "update"),
} as const);

const anyView: fc.Arbitrary<PoolView> = fc
  .record({
    machines: fc.array(anyMachine, { maxLength: 14 }),
    desired: fc.nat(12),
    maxSurge: anyLimit,
    maxUnavailable: anyLimit,
    deletePolicy: fc.constantFrom("Oldest", "Newest", "Random"),
    instanceUpdate: fc.constantFrom("Replace", "InPlace"),
    desiredHash: anyHash,
    setHash: fc.option(anyHash, { nil: undefined }),
    isSetFailed: fc.boolean(),
    isModelRejected: fc.boolean(),
    isExternallyScaled: fc.boolean(),
    isPaused: fc.boolean(),
    isPutRunning: fc.boolean(),
    isReachable: fc.boolean(),
    notReady: fc.nat(14),
  } as const)
  .map(({ machines, isPutRunning, isReachable, notReady, ...rest }) => {
    const views = machines.map(({ hasResource, hasInstance, ...facts }, id) =>
      machine(id, {
        ...facts,
        name: hasResource || !hasInstance ? `${facts.pool}-${id}` : undefined,
        instanceID: hasInstance ? String(id) : undefined,
      }),
    );
    return pool({
      ...rest,
      machines: views,
      capacity: views.filter(isLive).length,
      operation: isPutRunning ? { kind: "PutModel", sinceMs: NOW_MS } : undefined,
      workload: { isReachable, nodes: 14, notReady },
    });
  });

const isOurs = (m: MachineView): boolean => m.pool === "mp";
const isLive = (m: MachineView): boolean =>
  isOurs(m) && m.instanceID !== undefined && m.vmState !== "Deleting";
const isWorking = (m: MachineView): boolean =>
  isLive(m) && m.isAvailable && !m.isDeleting && m.picked !== "update";

/** The machines that actions of the given kind and cause name. */
function named(
  view: PoolView,
  plan: PoolPlan,
  isMeant: (action: PoolAction) => boolean,
): readonly MachineView[] {
  const names = plan.actions.filter(isMeant).flatMap(({ targets }) => targets);
  return view.machines.filter(({ name }) => name !== undefined && names.includes(name));
}

const isDisruption = (a: PoolAction): boolean =>
  a.action === "DeleteMachine" || a.action === "UpdateMachineInPlace";
const isCause = (a: PoolAction, cause: string): boolean =>
  a.action === "DeleteMachine" && a.detail.cause === cause;

const holds = (check: (view: PoolView, plan: PoolPlan) => void): void =>
  fc.assert(
    fc.property(anyView, (view) => {
      check(view, planPool(view));
    }),
    { numRuns: 2000 },
  );

describe("for every pool", () => {
  test("the plan is the same when it is made again", () => {
    holds((view, plan) => expect(planPool(view)).toEqual(plan));
  });

  test("every action and every block has a reason and an object", () => {
    holds((_view, plan) => {
      for (const { why, targets, action } of plan.actions) {
        expect(why).not.toBe("");
        expect(action === "Wait" || targets.length > 0).toBe(true);
      }
      for (const { why } of plan.blocked) expect(why).not.toBe("");
    });
  });

  test("no two actions contradict each other", () => {
    holds((_view, plan) => {
      const disrupted = plan.actions.filter(isDisruption).flatMap(({ targets }) => targets);
      expect(new Set(disrupted).size).toBe(disrupted.length);
      const puts = plan.actions.filter(({ action }) => action === "PutModel" || action === "SetCapacity");
      expect(puts.length).toBeLessThanOrEqual(1);
    });
  });

  test("only machines of the pool itself are touched", () => {
    holds((view, plan) => {
      const touched = named(view, plan, (a) => isDisruption(a) || a.action === "DeleteMachineResource");
      expect(touched.filter((m) => !isOurs(m))).toEqual([]);
    });
  });

  test("I1: available machines are disrupted only down to the floor", () => {
    holds((view, plan) => {
      const { maxUnavailable } = resolveRolloutBudget(view, view.desired);
      const isBudgeted = (a: PoolAction): boolean =>
        a.action === "UpdateMachineInPlace" || isCause(a, "Outdated") || isCause(a, "Annotated");
      const taken = named(view, plan, isBudgeted).filter(isWorking).length;
      const working = view.machines.filter(isWorking).length;
      expect(taken).toBeLessThanOrEqual(Math.max(0, working - (view.desired - maxUnavailable)));
    });
  });

  test("only unavailable machines, at most a tenth, are deleted outside the budget", () => {
    holds((view, plan) => {
      const stuck = named(view, plan, (a) => isCause(a, "Stuck"));
      expect(stuck.filter(({ isAvailable }) => isAvailable)).toEqual([]);
      expect(stuck.length).toBeLessThanOrEqual(Math.max(1, Math.floor(view.desired / 10)));
      const { isReachable, notReady, nodes } = view.workload;
      if (!isReachable || notReady > 0.4 * nodes) expect(stuck).toEqual([]);
    });
  });

  test("scale-down keeps the desired number, and never touches the pool of an autoscaler", () => {
    holds((view, plan) => {
      const surplus = named(view, plan, (a) => isCause(a, "ScaleDown")).length;
      const staying = view.machines.filter((m) => isLive(m) && !m.isDeleting).length;
      if (surplus > 0) expect(staying - surplus).toBeGreaterThanOrEqual(view.desired);
      if (view.isExternallyScaled) expect(surplus).toBe(0);
    });
  });

  test("I2: capacity stays below the ceiling and is never lowered", () => {
    holds((view, plan) => {
      const { maxSurge } = resolveRolloutBudget(view, view.desired);
      const live = view.machines.filter(isLive).length;
      for (const action of plan.actions) {
        if (action.action !== "PutModel" && action.action !== "SetCapacity") continue;
        expect(action.detail.to).toBeLessThanOrEqual(Math.max(view.desired + maxSurge, live));
        expect(action.detail.to).toBeGreaterThanOrEqual(live);
        expect(view.operation).toBeUndefined();
      }
    });
  });

  test("one list removes only few resources, and a pause stops every action", () => {
    holds((view, plan) => {
      const removed = named(view, plan, (a) => a.action === "DeleteMachineResource");
      const resources = view.machines.filter((m) => isOurs(m) && m.name !== undefined).length;
      expect(isGuarded(removed.length, resources)).toBe(false);
      expect(removed.filter(({ instanceID }) => instanceID !== undefined)).toEqual([]);
      if (view.isPaused) expect(plan.actions).toEqual([]);
    });
  });
});

describe("for every sequence of events", () => {
  const anyStrategy = fc.constantFrom("1/0", "0/1", "2/1", "25%/0", "10%/10%", "0%/10%", "9/0");
  const anyName = fc.nat(8).map((id) => `mp-${id}`);
  const anyDeed = fc.oneof(
    fc.constantFrom("A", "B", "C").map((hash) => `image ${hash}`),
    fc.nat(7).map((count) => `replicas ${count}`),
    anyStrategy.map((strategy) => `strategy ${strategy}`),
    anyName.map((name) => `delete ${name}`),
    anyName.map((name) => `mark ${name}`),
    anyName.map((name) => `evict ${name}`),
    fc.constantFrom("pause", "resume"),
  );
  // Models whose VMs fail are excluded: the controller replaces their machines every ten minutes forever.
  const anyMisfortune = fc.oneof(
    fc
      .tuple(fc.constantFrom("fail", "fail-ready", "stop", "unready", "lose-resource"), anyName)
      .map(([deed, name]) => `${deed} ${name}`),
    fc.constantFrom("never-ready B", "unreachable", "reachable", "blind", "see"),
  );
  const storyOf = (anyStep: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .record({
        replicas: fc.nat(6),
        strategy: anyStrategy,
        options: fc.constantFrom("", " InPlace", " Newest", " Random", " InPlace Newest"),
        deeds: fc.array(fc.tuple(fc.nat(9), anyStep), { maxLength: 7 }),
      })
      .map(({ replicas, strategy, options, deeds }) => {
        const steps = deeds.map(([moves, deed]) => (moves === 9 ? deed : `+${moves} ${deed}`));
        return [`create mp ${replicas} ${strategy}${options}`, ...steps, "resume"].join("; ");
      });

  test("the invariants hold after each step, and the pool ends as the last spec desires", () => {
    fc.assert(
      fc.property(storyOf(anyDeed), fc.nat(1000), (story, seed) => {
        const result = runStory(story, seed);
        const [, replicas, available, live] =
          /desired (\d+) .*?, (\d+) available of (\d+)/.exec(result.end[0] ?? "") ?? [];
        const hash = /.*image (\w)/.exec(story)?.[1] ?? "A";
        expect(result.violations).toEqual([]);
        expect({ available, live }).toEqual({ available: replicas, live: replicas });
        expect(result.end[0]).toContain(
          replicas === "0" ? "models none" : `models ${hash} x ${replicas}, capacity ${replicas},`,
        );
      }),
      { numRuns: 400 },
    );
  });

  test("the invariants hold also when machines, Nodes and lists fail", () => {
    fc.assert(
      fc.property(storyOf(fc.oneof(anyDeed, anyMisfortune)), fc.nat(1000), (story, seed) => {
        expect(runStory(story, seed).violations).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
