import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arm, at, machine, node, write } from "./events.fixture.ts";
import { storyOf, storyText } from "./story.ts";

const texts = (...events: Parameters<typeof storyOf>[0][number][]): string[] =>
  storyOf(events).map(({ text }) => text);

describe("a story", () => {
  test("shows time, actor and event, with equal events within a minute on one line", () => {
    const events = [
      at(0, "user", { kind: "step", text: "create scale set pool with 12 machines for workload" }),
      arm(0, "PUT virtualMachineScaleSets", 201),
      ...Array.from({ length: 12 }, (_, index) => machine(40 + index, index, "booted")),
      node(70, "pool000000", "joined"),
      write(71, "manager-1/machinepool"),
      node(90, "pool000007", "joined"),
      at(3 * 60 + 12, "world", { kind: "process", process: "manager-1", event: "crashed" }),
      at(26 * 3600, "world", { kind: "violation", invariant: "surge", text: "5 machines, at most 4" }),
    ];
    expect(storyText(storyOf(events))).toBe(
      `00:00:00  user    create scale set pool with 12 machines for workload
00:00:40  azure   12 machines of pool booted: 0 first, 11 last
00:01:10  guests  2 nodes of workload joined: pool000000 first, pool000007 last
00:03:12  world   manager-1 crashed
26:00:00  world   surge does not hold: 5 machines, at most 4
`,
    );
  });

  test.each([
    [machine(1, 3, "created"), "machine 3 of pool was created"],
    [node(1, "n", "gone"), "node n of workload is gone"],
    [
      at(1, "m/a", {
        kind: "condition",
        object: "Cluster c",
        type: "Ready",
        status: "False",
        reason: "",
        message: "",
      }),
      "Cluster c: Ready is False",
    ],
    [
      at(1, "m/a", {
        kind: "condition",
        object: "Cluster c",
        type: "Ready",
        status: "False",
        reason: "Busy",
        message: "wait",
      }),
      "Cluster c: Ready is False, Busy: wait",
    ],
    [
      at(1, "guests", { kind: "guestFailure", machine: "pool/0", reason: "NoJoin", message: "no command" }),
      "guest of pool/0 failed, NoJoin: no command",
    ],
    [at(1, "world", { kind: "fault", fault: "stall", text: "30 s" }), "stall: 30 s"],
  ])("shows a single event as a sentence", (event, text) => {
    expect(texts(event)).toEqual([text]);
  });

  test("shows several equal events of each kind in one sentence", () => {
    const condition = (object: string) =>
      at(1, "m/a", {
        kind: "condition",
        object,
        type: "Ready",
        status: "True",
        reason: "Done",
        message: object,
      });
    const failure = (name: string) =>
      at(1, "guests", { kind: "guestFailure", machine: name, reason: "NoJoin", message: "no command" });
    const fault = (text: string) => at(1, "world", { kind: "fault", fault: "stall", text });
    expect(
      texts(
        machine(1, 1, "deleted"),
        machine(1, 2, "deleted"),
        node(1, "a", "gone"),
        node(1, "b", "gone"),
        condition("Machine a"),
        condition("Machine b"),
        condition("Cluster c"),
        failure("pool/0"),
        failure("pool/1"),
        fault("5 s"),
        fault("9 s"),
      ),
    ).toEqual([
      "2 machines of pool were deleted: 1 first, 2 last",
      "2 nodes of workload are gone: a first, b last",
      "Ready became True 2 times, Done: Machine a first, Machine b last",
      "Cluster c: Ready is True, Done: Cluster c",
      "2 guests failed, NoJoin: no command: pool/0 first, pool/1 last",
      "stall, 2 times: 5 s first, 9 s last",
    ]);
  });

  test("starts a new line after a minute, and after a step", () => {
    expect(texts(machine(0, 0, "booted"), machine(59, 1, "booted"), machine(60, 2, "booted"))).toHaveLength(
      2,
    );
    const step = at(2, "user", { kind: "step", text: "resize" });
    expect(texts(machine(1, 0, "booted"), step, machine(3, 1, "booted"))).toEqual([
      "machine 0 of pool booted",
      "resize",
      "machine 1 of pool booted",
    ]);
  });

  test("has all events but writes and requests, in order of time", () => {
    const event = fc
      .tuple(fc.nat(300), fc.nat(4), fc.nat(5))
      .map(([seconds, kind, instance]) =>
        [
          machine(seconds, instance, "booted"),
          node(seconds, `n${instance}`, "ready"),
          write(seconds, "manager-1/a"),
          arm(seconds, "GET x"),
          at(seconds, "user", { kind: "step", text: "step" }),
        ].slice(kind, kind + 1),
      );
    const runs = fc.array(event).map((lists) => lists.flat().toSorted((a, b) => a.atMs - b.atMs));
    fc.assert(
      fc.property(runs, (events) => {
        const lines = storyOf(events);
        const reported = events.filter(({ happening: { kind } }) => kind !== "write" && kind !== "arm");
        expect(lines.reduce((sum, line) => sum + line.events, 0)).toBe(reported.length);
        expect(lines.map(({ atMs }) => atMs)).toEqual(
          lines.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
        );
      }),
    );
  });
});
