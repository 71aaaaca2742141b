import { describe, expect, test } from "vitest";
import type { Etcd, EtcdMember } from "../../etcd/port.ts";
import { membersOf } from "./etcd.ts";

const members = [
  { id: "1", name: "n1", isLearner: false },
  { id: "2", name: "n2", isLearner: false },
];

/** An etcd with these members, a leader and alarms. */
function etcdWith(leader: string | undefined, alarms: readonly string[] = []): Etcd {
  return {
    status: () => Promise.resolve({ memberId: "1", leader }),
    members: (): Promise<readonly EtcdMember[]> => Promise.resolve(members),
    alarms: () => Promise.resolve(new Set(alarms)),
    removeMember: () => Promise.resolve(),
    moveLeader: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

describe("what is known about etcd", () => {
  test("has the alarm of each member", async () => {
    expect(await membersOf(etcdWith("1", ["2", "9"]))).toEqual({
      state: "known",
      leader: "1",
      members: [
        { id: "1", name: "n1", isLearner: false, hasAlarm: false },
        { id: "2", name: "n2", isLearner: false, hasAlarm: true },
      ],
    });
  });

  test("is nothing while the leader is not among the members: they are from another moment", async () => {
    const why = "the leader of etcd is not among its members";
    expect(await membersOf(etcdWith("3"))).toEqual({ state: "unknown", why });
  });

  test("are the members, also while there is no leader", async () => {
    expect(await membersOf(etcdWith(undefined))).toMatchObject({ state: "known", leader: undefined });
  });
});
