import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ControlPlaneAction } from "./action.ts";
import { planControlPlane } from "./plan.ts";
import { machine, planText, view } from "./plan.fixture.ts";
import { ETCD_MEMBER_HEALTHY, memberHealth, memberOf, removalVerdict } from "./quorum.ts";
import { isDeleting, isHealthy, isUpdating } from "./selection.ts";
import type {
  ControlPlaneMachine,
  ControlPlaneView,
  Health,
  MachineUpdateVerdict,
  MemberView,
} from "./view.ts";

const broken = { parts: [{ part: "NodeReady", health: "unhealthy" as Health, why: "Node is not Ready" }] };

const three = [machine("m1"), machine("m2"), machine("m3")];
const [m1 = machine("m1"), m2 = machine("m2"), m3 = machine("m3")] = three;

describe("a control plane", () => {
  test.each<[string, ControlPlaneView, readonly string[]]>([
    ["that is complete does nothing", view(three), []],
    ["without machines creates the first", view([], { isInitialized: false }), ["CreateMachine cp"]],
    [
      "that lost all machines creates none: a new one would start an empty cluster",
      view([]),
      ["QuorumLost cp"],
    ],
    [
      "waits for its first machine before it adds another",
      view([machine("m1", broken)], { isInitialized: false }),
      ["Wait m1"],
    ],
    [
      "whose first machine is being deleted waits until it is gone",
      view([machine("m1", { deletingSinceMs: 1 })], { isInitialized: false }),
      ["Wait m1"],
    ],
    [
      "waits for the first machine that stays, not for one that is being deleted",
      view([machine("m1", { deletingSinceMs: 1 }), m2, m3], { isInitialized: false }),
      ["Wait m2"],
    ],
    ["with too few machines adds one", view([m1, m2]), ["CreateMachine cp"]],
    ["with a machine without a Node adds none", view([m1, without(m2)]), ["PreflightCheckFailed cp"]],
    ["with an unhealthy machine adds none", view([m1, machine("m2", broken)]), ["PreflightCheckFailed cp"]],
    [
      "with a broken authority adds none",
      view([m1, m2], { certificateProblem: "x" }),
      ["PreflightCheckFailed cp"],
    ],
    [
      "that does not answer is not touched",
      view([m1, m2], { unreachable: "x" }),
      ["WorkloadClusterUnreachable cp"],
    ],
    [
      "with too many machines moves the leader off the oldest",
      view([...three, machine("m4")]),
      ["MoveEtcdLeader m4"],
    ],
    [
      "then deletes it",
      view([...three, machine("m4")], { etcd: { ...known(view([...three, machine("m4")])), leader: "4" } }),
      ["DeleteMachine m1"],
    ],
    [
      "deletes a marked machine first",
      view([...three, machine("m4", { hasDeleteAnnotation: true })]),
      ["DeleteMachine m4"],
    ],
    [
      "deletes none while etcd does not answer",
      view([...three, machine("m4")], { etcd: { state: "unknown", why: "x" } }),
      ["EtcdUnknown m1"],
    ],
    [
      "with external etcd asks no etcd",
      view([...three, machine("m4")], { etcd: { state: "external" } }),
      ["DeleteMachine m1"],
    ],
    [
      "with an outdated machine adds one, and keeps the version of the others",
      view([machine("m1", { outdated: ["old"] }), m2, m3]),
      ["CreateMachine cp"],
    ],
    [
      "with maxSurge 0 deletes first",
      view([m1, machine("m2", { outdated: ["old"] }), m3], { maxSurge: 0 }),
      ["DeleteMachine m2"],
    ],
    [
      "deletes an outdated broken machine although it is unhealthy",
      view([machine("m2", { ...broken, outdated: ["old"] }), m1, m3], {
        maxSurge: 0,
        etcd: { ...known(view([m1, m2, m3])), leader: "3" },
      }),
      ["DeleteMachine m2"],
    ],
    ["whose creation is recorded waits for it", view([m1, m2], { creating: "m9" }), ["Wait m9"]],
  ])("%s", (_, given, expected) => {
    expect(planText(given)).toEqual(expected);
  });
});

function without(one: ControlPlaneMachine): ControlPlaneMachine {
  const { nodeName: _, ...rest } = one;
  return rest;
}

function known({ etcd }: ControlPlaneView): ControlPlaneView["etcd"] & { state: "known" } {
  if (etcd.state !== "known") throw new Error("the members are known here");
  return etcd;
}

describe("a machine that is being deleted", () => {
  const going = { deletingSinceMs: 10, waitsForRelease: true };

  test.each<[string, ControlPlaneView, readonly string[]]>([
    ["waits for its drain", view([m1, machine("m2", { deletingSinceMs: 10 }), m3]), []],
    ["hands the leadership over", view([machine("m1", going), m2, m3]), ["MoveEtcdLeader m3"]],
    [
      "hands the leadership to a machine that stays",
      view([machine("m1", going), m2, machine("m3", { deletingSinceMs: 20 })]),
      ["MoveEtcdLeader m2"],
    ],
    ["leaves etcd", view([m1, machine("m2", going), m3]), ["RemoveEtcdMember m2"]],
    [
      "is released when it has no member",
      view([m1, machine("m2", going), m3], {
        etcd: { state: "known", leader: "1", members: known(view([m1, m3])).members },
      }),
      ["ReleaseMachine m2"],
    ],
    [
      "is released with external etcd",
      view([m1, machine("m2", going)], { etcd: { state: "external" } }),
      ["ReleaseMachine m2"],
    ],
    ["is released if it is the last", view([machine("m1", going)]), ["ReleaseMachine m1"]],
    [
      "waits for the hooks of others",
      view([m1, machine("m2", { ...going, otherHooks: ["backup"] }), m3]),
      ["Wait m2"],
    ],
    [
      "waits for one that was released before",
      view([m1, machine("m2", going), machine("m3", { deletingSinceMs: 5, hasHook: false })]),
      ["Wait m2"],
    ],
    [
      "stays while etcd would lose its quorum",
      view([m1, machine("m2", going), machine("m3", broken)]),
      ["QuorumAtRisk m2"],
    ],
    [
      "stays while no other machine is healthy",
      view([machine("m1", broken), machine("m2", going)]),
      ["QuorumAtRisk m2"],
    ],
    [
      "stays while the members are unknown",
      view([m1, machine("m2", going), m3], { etcd: { state: "unknown", why: "x" } }),
      ["EtcdUnknown m2"],
    ],
    [
      "that does not answer is removed although it leads",
      view([machine("m1", { ...going, isReachable: false }), m2, m3]),
      ["RemoveEtcdMember m1"],
    ],
  ])("%s", (_, given, expected) => {
    expect(planText(given).filter((line) => !line.startsWith("PreflightCheckFailed"))).toEqual(expected);
  });
});

describe("a member of etcd without a machine", () => {
  const stray = { id: "99", name: "gone", isLearner: false, hasAlarm: false };
  const unstarted = { id: "99", name: "", isLearner: false, hasAlarm: false };
  const sick = machine("m2", { parts: [{ part: ETCD_MEMBER_HEALTHY, health: "unhealthy", why: "x" }] });

  test.each<[string, ControlPlaneView, readonly string[]]>([
    ["is removed", withMember(view(three), stray), ["RemoveEtcdMember gone"]],
    [
      "stays while etcd would lose its quorum without it",
      withMember(view([m1, sick]), stray),
      ["PreflightCheckFailed cp"],
    ],
    [
      "that has not started is removed although another member is unhealthy",
      withMember(view([m1, sick]), unstarted),
      ["RemoveEtcdMember 99"],
    ],
    [
      "stays while another one has not started, which goes first",
      withMember(withMember(view(three), stray), { ...unstarted, id: "98", isLearner: true }),
      ["RemoveEtcdMember 98"],
    ],
    [
      "stays while a machine is updated in place",
      withMember(view([m1, machine("m2", { update: { state: "running", key: "now" } }), m3]), stray),
      ["Wait m2"],
    ],
    [
      "stays while a machine has no Node: it may be its member",
      withMember(view([m1, m2, without(m3)]), stray),
      [],
    ],
    ["stays while a machine is being created", withMember(view(three, { creating: "m3" }), stray), []],
  ])("%s", (_, given, expected) => {
    expect(planText(given)).toEqual(expected);
  });
});

function withMember(given: ControlPlaneView, member: MemberView): ControlPlaneView {
  const etcd = known(given);
  return { ...given, etcd: { ...etcd, members: [...etcd.members, member] } };
}

describe("a machine that a health check marks", () => {
  const marked = { ...broken, remediation: "Unhealthy" as const, isReachable: false };
  const before = { machine: "m0", timestampMs: 900_000, retryCount: 2 };

  test.each<[string, ControlPlaneView, readonly string[]]>([
    ["is replaced", view([m1, machine("m2", marked), m3]), ["Remediate m2"]],
    [
      "stays if it is the only one",
      view([machine("m1", marked)], { replicas: 1 }),
      ["RemediationDeferred m1"],
    ],
    [
      "stays while another is being deleted",
      view([m1, machine("m2", marked), machine("m3", { deletingSinceMs: 1 })]),
      ["RemediationDeferred m2"],
    ],
    [
      "stays while etcd would lose its quorum",
      view([m1, machine("m2", marked), machine("m3", marked)]),
      ["QuorumAtRisk m2"],
    ],
    [
      "stays until its retry period has passed",
      view([m1, machine("m2", { ...marked, remediationFor: before }), m3], {
        remediation: { retryPeriodMs: 200_000, minHealthyPeriodMs: 3_600_000 },
      }),
      ["RemediationDeferred m2"],
    ],
    [
      "stays after too many retries",
      view([m1, machine("m2", { ...marked, remediationFor: before }), m3], {
        remediation: { retryPeriodMs: 0, minHealthyPeriodMs: 3_600_000, maxRetry: 2 },
      }),
      ["CannotBeRemediated m2"],
    ],
    [
      "is replaced after too many retries if the last one was long ago",
      view([m1, machine("m2", { ...marked, remediationFor: { ...before, timestampMs: 0 } }), m3], {
        remediation: { retryPeriodMs: 0, minHealthyPeriodMs: 100_000, maxRetry: 2 },
      }),
      ["Remediate m2"],
    ],
    [
      "is replaced before the cluster is initialized, without a look at etcd",
      view([machine("m1", marked)], {
        isInitialized: false,
        replicas: 1,
        etcd: { state: "unknown", why: "x" },
      }),
      ["Remediate m1"],
    ],
  ])("%s", (_, given, expected) => {
    expect(planText(given)).toEqual(expected);
  });

  test("says the same on every pass while it waits for its retry period", () => {
    const remediation = { retryPeriodMs: 200_000, minHealthyPeriodMs: 3_600_000 };
    const waiting = view([m1, machine("m2", { ...marked, remediationFor: before }), m3], { remediation });
    const { blocked } = planControlPlane(waiting);
    expect(planControlPlane({ ...waiting, nowMs: waiting.nowMs + 10_000 }).blocked).toEqual(blocked);
    expect(blocked[0]?.why).toContain("the next attempt is at 1970-01-01T00:18:20Z");
  });
});

test("a machine that a user asks to replace goes before one without a Node, and that before a broken one", () => {
  const marked = { remediation: "Unhealthy" as const, isReachable: false };
  const sick = machine("m1", { ...broken, ...marked });
  const lost = without(machine("m2", marked));
  const asked = machine("m3", { remediation: "Requested" });
  const given = (machines: readonly ControlPlaneMachine[]): readonly string[] =>
    planText(view(machines, { isInitialized: false }));
  expect(given([sick, lost, asked])).toEqual(["Remediate m3"]);
  expect(given([sick, lost])).toEqual(["Remediate m2"]);
  expect(given([sick, machine("m4", marked)])).toEqual(["Remediate m1"]);
});

test("a replacement that is replaced in its turn counts one attempt more, until it was healthy for long", () => {
  const attemptAfter = (timestampMs: number): unknown => {
    const remediationFor = { machine: "m0", timestampMs, retryCount: 2 };
    const marked = machine("m2", { ...broken, remediation: "Unhealthy", isReachable: false, remediationFor });
    const remediation = { retryPeriodMs: 0, minHealthyPeriodMs: 100_000 };
    return planControlPlane(view([m1, marked, m3], { remediation })).actions;
  };
  const attempt = (retryCount: number): object[] => [
    {
      action: "Remediate",
      targets: ["m2"],
      detail: { record: { machine: "m2", timestampMs: 1_000_000, retryCount } },
    },
  ];
  expect(attemptAfter(900_000)).toMatchObject(attempt(3));
  expect(attemptAfter(899_999)).toMatchObject(attempt(0));
});

const health = fc.constantFrom<Health>("healthy", "unhealthy", "unknown");
const anyMachine = fc.record({
  hasNode: fc.boolean(),
  node: health,
  member: health,
  isDeleting: fc.boolean(),
  waitsForRelease: fc.boolean(),
  isMarked: fc.boolean(),
  isOutdated: fc.boolean(),
  update: fc.constantFrom(undefined, undefined, "begun" as const, "running" as const, "failed" as const),
});

const anyView = fc
  .record({
    machines: fc.array(anyMachine, { maxLength: 6 }),
    learner: fc.boolean(),
    leader: fc.nat(5),
    maxSurge: fc.constantFrom<0 | 1>(0, 1),
    replicas: fc.constantFrom(1, 3, 5),
    isInPlace: fc.boolean(),
    result: fc.constantFrom("Covered", "Uncovered", "Unknown"),
  })
  .map(({ machines, learner, leader, isInPlace, result, ...rest }) => {
    const made = machines.map((one, index) => {
      const base = machine(`m${index + 1}`, {
        parts: [
          { part: "NodeReady", health: one.node, why: "x" },
          { part: ETCD_MEMBER_HEALTHY, health: one.member, why: "x" },
        ],
        ...(one.isDeleting && { deletingSinceMs: index, waitsForRelease: one.waitsForRelease }),
        ...(one.isMarked && { remediation: "Unhealthy" as const }),
        outdated: one.isOutdated ? ["old"] : [],
        ...(one.update && { update: { state: one.update, key: "now" } }),
      });
      return one.hasNode ? base : without(base);
    });
    const verdict = { result, updaters: ["u"], paths: [], why: "" } as MachineUpdateVerdict;
    const verdicts = new Map(made.map(({ name }) => [name, verdict]));
    const inPlace = { key: "now", isDisabled: false, verdicts };
    const given = view(made, { ...rest, ...(isInPlace && { inPlace }) });
    const { members } = known(given);
    const joining = { id: "99", name: "", isLearner: true, hasAlarm: false };
    return {
      ...given,
      etcd: {
        state: "known" as const,
        members: learner ? [...members, joining] : members,
        leader: String(leader),
      },
    };
  });

test("never changes more than one thing, and never gives up the quorum of etcd", () => {
  fc.assert(
    fc.property(anyView, (given) => {
      const { actions } = planControlPlane(given);
      expect(actions.length).toBeLessThanOrEqual(1);
      for (const action of actions) check(given, action);
    }),
    { numRuns: 3000 },
  );
});

function memberIdOf({ etcd }: KnownView, going: ControlPlaneMachine | undefined): string {
  return (going && memberOf(etcd.members, going)?.id) ?? "";
}

type KnownView = ControlPlaneView & { readonly etcd: ControlPlaneView["etcd"] & { readonly state: "known" } };

/** What must hold for an action in a state. */
function check(given: KnownView, action: ControlPlaneAction): void {
  const isSafe = (id: string): boolean => removalVerdict(given.etcd.members, id, memberHealth(given)).isSafe;
  const going = given.machines.find(({ name }) => action.targets.includes(name));
  switch (action.action) {
    case "CreateMachine":
      expect(given.machines.filter(isDeleting)).toEqual([]);
      return;
    case "DeleteMachine":
      expect(given.machines.filter(isDeleting)).toEqual([]);
      expect(given.machines.filter((one) => one !== going).every(isHealthy)).toBe(true);
      return;
    case "Remediate":
      expect(isSafe(memberIdOf(given, going))).toBe(true);
      return;
    case "RemoveEtcdMember":
      // A learner has no vote.
      if (action.detail.id !== "99") expect(isSafe(action.detail.id)).toBe(true);
      return;
    case "UpdateMachineInPlace":
      checkUpdate(given, going);
      return;
    case "MoveEtcdLeader":
    case "ReleaseMachine":
    case "Wait":
  }
}

function checkUpdate(given: KnownView, going: ControlPlaneMachine | undefined): void {
  const others = given.machines.filter((one) => one !== going);
  expect(others.filter((one) => isDeleting(one) || isUpdating(one))).toEqual([]);
  expect(others.every(isHealthy)).toBe(true);
  checkOutage(given, memberIdOf(given, going));
}

/** While the member restarts, the others have a quorum and the leadership; a single member restarts alone. */
function checkOutage({ etcd: { members, leader } }: KnownView, id: string): void {
  if (members.length === 1) return;
  expect(id === "" || leader !== id).toBe(true);
  expect(members.filter((one) => one.id !== id).length).toBeGreaterThanOrEqual(
    Math.floor(members.length / 2) + 1,
  );
}
