import { describe, expect, test } from "vitest";
import { machine } from "./plan.fixture.ts";
import { additionVerdict, ETCD_MEMBER_HEALTHY, memberHealth, removalVerdict } from "./quorum.ts";
import type { MemberView } from "./view.ts";

/** Members of etcd, the last of which are unhealthy. */
function members(count: number): readonly MemberView[] {
  return Array.from({ length: count }, (_, index) => ({
    id: String(18_446_744_073_709_551_000n + BigInt(index)),
    name: `node-${index}`,
    isLearner: false,
    hasAlarm: false,
  }));
}

function lastUnhealthy(list: readonly MemberView[], unhealthy: number): (member: MemberView) => boolean {
  const bad = new Set(list.slice(list.length - unhealthy).map(({ id }) => id));
  return ({ id }) => !bad.has(id);
}

describe("the removal of one member", () => {
  test.each([
    [2, 0, true],
    [2, 1, false],
    [3, 0, true],
    [3, 1, false],
    [4, 1, true],
    [4, 2, false],
    [5, 1, true],
    [5, 2, false],
    [6, 2, true],
    [7, 2, true],
    [7, 3, false],
  ])("from %i with %i other unhealthy ones is safe: %s", (count, unhealthy, isSafe) => {
    const list = members(count);
    const verdict = removalVerdict(list, list[0]?.id ?? "", lastUnhealthy(list, unhealthy));
    expect(verdict.isSafe).toBe(isSafe);
  });

  test.each([
    ["is a learner", { isLearner: true }, "node-2"],
    ["has no name yet", { name: "" }, "18446744073709551002"],
  ])("is not safe while another member %s", (_, changes, shown) => {
    const list = members(3).map((one, index) => (index === 2 ? { ...one, ...changes } : one));
    expect(removalVerdict(list, list[0]?.id ?? "", () => true)).toEqual({
      isSafe: false,
      why: `etcd member ${shown} has not finished joining`,
    });
  });

  test("says how many members would be left and how many are needed", () => {
    const list = members(3);
    expect(removalVerdict(list, list[0]?.id ?? "", lastUnhealthy(list, 1))).toEqual({
      isSafe: false,
      why: "1 of 2 etcd members would be healthy, and 2 are needed",
    });
  });
});

describe("the addition of one member", () => {
  test.each([
    [1, 0, true],
    [1, 1, false],
    [2, 0, true],
    [2, 1, false],
    [3, 0, true],
    [3, 1, false],
    [4, 1, true],
    [4, 2, false],
    [5, 1, true],
    [5, 2, false],
  ])("to %i with %i unhealthy ones is safe: %s", (count, unhealthy, isSafe) => {
    const list = members(count);
    expect(additionVerdict(list, lastUnhealthy(list, unhealthy)).isSafe).toBe(isSafe);
  });
});

describe("a member", () => {
  const member = { id: "1", name: "gone", isLearner: false, hasAlarm: false };

  test.each<[string, Partial<MemberView>, boolean]>([
    ["without a machine is healthy", {}, true],
    ["without a machine is not healthy with an alarm", { hasAlarm: true }, false],
    ["without a name is not healthy", { name: "" }, false],
    ["of a healthy machine is healthy", { name: "m1" }, true],
    ["of a machine whose condition says so is not healthy", { name: "m2" }, false],
    ["of a machine without that condition is not healthy", { name: "m3" }, false],
  ])("%s", (_, changes, expected) => {
    const sick = { parts: [{ part: ETCD_MEMBER_HEALTHY, health: "unhealthy" as const, why: "alarm" }] };
    const machines = [machine("m1"), machine("m2", sick), machine("m3", { parts: [] })];
    expect(memberHealth({ machines })({ ...member, ...changes })).toBe(expected);
  });
});
