import type { Condition } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { transient } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { CommandError } from "../command-error.ts";
import { expectGolden } from "../plan/print/golden.fixture.ts";
import { machineObject, machinePoolObject, NOW, poolObject } from "../plan/planners/pool-objects.fixture.ts";
import type { PoolParts } from "../plan/planners/pool-parts.ts";
import { testShell, type TestShell } from "../shell.fixture.ts";
import { awaitRollout, showRollout } from "./follow-rollout.ts";
import { rolloutState } from "./rollout-state.ts";
import { rolloutTree } from "./rollout-tree.ts";

const NOW_MS = Date.parse(NOW);
const condition = (type: string, reason: string, message: string): Condition => ({
  type,
  status: "False",
  reason,
  message,
  lastTransitionTime: "2026-01-01T11:57:00Z",
});
const info = (type: string, reason: string, message: string): Condition => ({
  ...condition(type, reason, message),
  severity: "Info",
});
const partsWith = (differences: Partial<PoolParts>): PoolParts => ({
  pool: poolObject(),
  machinePool: machinePoolObject(),
  rivals: [],
  machines: [0, 1, 2].map((id) => machineObject(id, "v1-new")),
  cluster: undefined,
  azureCluster: undefined,
  ...differences,
});
const DONE = partsWith({});
const ON_ITS_WAY = partsWith({
  machines: [machineObject(0, "v1-old"), machineObject(1, "v1-new"), machineObject(2, "v1-new")],
});
const FAILED = partsWith({
  pool: poolObject({ status: { failureReason: "QuotaExceeded", failureMessage: "no cores left" } }),
});
const DRAINING = partsWith({
  pool: poolObject({ status: { pickedForDeletion: ["pool-0"] } }),
  machines: [
    machineObject(0, "v1-old", {
      metadata: { deletionTimestamp: "2026-01-01T11:57:00Z" },
      status: {
        conditions: [condition("Drained", "DrainBlocked", "pod shop/web-1 is held by budget shop/web")],
      },
    }),
    machineObject(1, "v1-old"),
    machineObject(2, "v1-new"),
    machineObject(3, "v1-new", {
      status: {
        ready: false,
        nodeRef: undefined,
        provisioningState: "Creating",
        conditions: [condition("Ready", "WaitingForNode", "no Node yet")],
      },
    }),
  ],
});

/** A shell in which waiting takes no time, and which is interrupted after this many waits. */
function quickShell({ waits = 100, isTerminal = false } = {}): TestShell {
  const env = createRealEnv();
  let nowMs = 0;
  const sleep = (ms: number): Promise<void> => {
    nowMs += ms;
    if (--waits <= 0) shell.interrupt();
    return Promise.resolve();
  };
  const clock = { ...env.clock, monotonic: () => nowMs, sleep };
  const shell: TestShell = testShell({ env: { ...env, clock }, isTerminal, variables: { NO_COLOR: "1" } });
  return shell;
}

/** Returns one state after the other; the last one stays. */
function states(...all: readonly (PoolParts | Error)[]) {
  let looks = 0;
  return () => {
    const seen = all[Math.min(looks++, all.length - 1)] ?? DONE;
    return seen instanceof Error ? Promise.reject(seen) : Promise.resolve(rolloutState(seen, NOW_MS));
  };
}
const LATE = "Waiting for AzureMachinePool default/pool: 2 of 3 up to date, 1 outdated, 3 available";
const AWAY = transient("ServerUnreachable", "GET /apis: connection refused");

describe("rollout status", () => {
  test("prints each change once and ends with the rollout", async () => {
    const shell = quickShell();
    const look = states(ON_ITS_WAY, ON_ITS_WAY, DRAINING, DONE);
    expect(await awaitRollout(shell, look, { isWatching: true })).toBe(0);
    expect(shell.written).toEqual({
      out: [
        "Waiting for AzureMachinePool default/pool: 2 of 3 up to date, 1 outdated, 3 available",
        "Waiting for AzureMachinePool default/pool: 2 of 3 up to date, 1 outdated, 2 available, 1 leaving",
        "AzureMachinePool default/pool is rolled out: 3 of 3 up to date and available",
        "took 0s, forecast 2m28s",
        "",
      ].join("\n"),
      err: "",
    });
  });

  test.each([
    ["it is done", DONE, { isWatching: true }, 0, "is rolled out"],
    ["it is done and --watch is false", DONE, { isWatching: false }, 0, "is rolled out"],
    ["it is not done and --watch is false", ON_ITS_WAY, { isWatching: false }, 1, "Waiting for"],
    ["it has failed", FAILED, { isWatching: true }, 1, "has failed: QuotaExceeded: no cores left"],
    ["it takes too long", ON_ITS_WAY, { isWatching: true, timeoutMs: 10_000 }, 1, "Waiting for"],
  ])("%s", async (_, parts, patience, code, words) => {
    const shell = quickShell();
    expect(await awaitRollout(shell, states(parts), patience)).toBe(code);
    expect(shell.written.out).toContain(words);
    const isLate = "timeoutMs" in patience;
    expect(shell.written.err).toBe(isLate ? `capstan: gave up after 10s: ${LATE}\n` : "");
  });

  test("prints what blocks it and continues to wait", async () => {
    const shell = quickShell();
    const paused = partsWith({
      ...ON_ITS_WAY,
      pool: poolObject({ metadata: { annotations: { "cluster.x-k8s.io/paused": "true" } } }),
    });
    expect(await awaitRollout(shell, states(paused, DONE), { isWatching: true })).toBe(0);
    expect(shell.written.out).toContain("\nblocked, Paused: the pool or its cluster is paused");
  });

  test("prints the conditions of the pool and its machines that report trouble, and no others", async () => {
    const refused = {
      ...condition("Ready", "ScaleSetProvisionFailed", "no such image"),
      severity: "Error" as const,
    };
    const coming = { ...condition("Ready", "ScaleSetScalingUp", "2 of 3"), severity: "Info" as const };
    const held = { ...condition("Ready", "DrainBlocked", "pod web-1 stays"), severity: "Warning" as const };
    const inTrouble = (id: number) => machineObject(id, "v1-old", { status: { conditions: [held] } });
    const machines = [0, 1, 2, 3, 4].map(inTrouble);
    const shell = quickShell();
    const look = states(
      partsWith({ ...ON_ITS_WAY, pool: poolObject({ status: { conditions: [coming] } }) }),
      partsWith({ pool: poolObject({ status: { conditions: [refused] } }), machines }),
    );
    await awaitRollout(shell, look, { isWatching: false });
    expect(shell.written.out).not.toContain("ScalingUp");
    await awaitRollout(shell, look, { isWatching: false });
    expect(shell.written.out.split("\n").slice(-6)).toEqual([
      "pool, ScaleSetProvisionFailed: no such image",
      "pool-0, DrainBlocked: pod web-1 stays",
      "pool-1, DrainBlocked: pod web-1 stays",
      "pool-2, DrainBlocked: pod web-1 stays",
      "and 2 more machines in trouble",
      "",
    ]);
    const four = partsWith({ machines: machines.slice(0, 4) });
    const another = quickShell();
    await awaitRollout(another, states(four), { isWatching: false });
    expect(another.written.out).toContain("and 1 more machine in trouble");
    expect(rolloutTree(await look())).toContain("└── pool, ScaleSetProvisionFailed: no such image");
  });

  test.each<[string, Partial<PoolParts>, string]>([
    [
      "the condition of its MachinePool while there is no machine",
      {
        pool: poolObject({ status: { modelHash: undefined } }),
        machines: [],
        machinePool: machinePoolObject({
          status: {
            deprecated: {
              v1beta1: {
                conditions: [
                  info("Ready", "WaitingForDataSecret", "BootstrapReady: there is no KubeadmConfig"),
                ],
              },
            },
          },
        }),
      },
      "MachinePool pool, WaitingForDataSecret: BootstrapReady: there is no KubeadmConfig",
    ],
    [
      "the condition of its MachinePool that reports trouble",
      {
        machinePool: machinePoolObject({
          status: {
            deprecated: {
              v1beta1: {
                conditions: [{ ...info("Ready", "VersionMissing", "no version"), severity: "Error" }],
              },
            },
          },
        }),
      },
      "MachinePool pool, VersionMissing: no version",
    ],
    [
      "what blocks the rollout",
      {
        pool: poolObject({
          status: { conditions: [info("RolloutProgressing", "DrainBlocked", "web-1 stays")] },
        }),
      },
      "pool, DrainBlocked: web-1 stays",
    ],
    [
      "which removal is blocked",
      {
        pool: poolObject({
          status: { conditions: [{ ...info("RemovalBlocked", "TooManyMissing", "3 of 3"), status: "True" }] },
        }),
      },
      "pool, RemovalBlocked: 3 of 3",
    ],
  ])("says %s", async (_, differences, line) => {
    const shell = quickShell();
    const parts = partsWith({ ...ON_ITS_WAY, ...differences });
    await awaitRollout(shell, states(parts), { isWatching: false });
    expect(shell.written.out.split("\n").slice(1)).toEqual([line, ""]);
    expect(rolloutTree(rolloutState(parts, NOW_MS))).toContain(`└── ${line}\n`);
  });

  test("ignores the machines that its MachinePool still counts", async () => {
    const machinePool = machinePoolObject({
      status: {
        deprecated: {
          v1beta1: { conditions: [info("Ready", "WaitingForReplicasReady", "ReplicasReady: 2 machines")] },
        },
      },
    });
    const shell = quickShell();
    await awaitRollout(shell, states(partsWith({ ...ON_ITS_WAY, machinePool })), { isWatching: false });
    expect(shell.written.out).not.toContain("WaitingForReplicasReady");
  });

  test("prints once what Azure has refused, even if several conditions repeat it", async () => {
    const refused = (type: string, message: string): Condition => ({
      ...condition(type, "ScaleSetProvisionFailed", message),
      severity: "Error",
    });
    const text = "SkuNotAvailable: a long text";
    const parts = partsWith({
      ...ON_ITS_WAY,
      pool: poolObject({
        status: {
          conditions: [
            refused("ScaleSetRunning", text),
            refused("RolloutProgressing", text),
            refused("Ready", `ScaleSetRunning: ${text}`),
          ],
        },
      }),
      machinePool: machinePoolObject({
        status: {
          deprecated: {
            v1beta1: { conditions: [refused("Ready", `InfrastructureReady: ScaleSetRunning: ${text}`)] },
          },
        },
      }),
    });
    for (const isWatching of [true, false]) {
      const shell = quickShell();
      expect(await awaitRollout(shell, states(parts), { isWatching })).toBe(1);
      expect(shell.written.out.split(text).length - 1, String(isWatching)).toBe(1);
    }
    expect(rolloutTree(rolloutState(parts, NOW_MS)).split(text).length - 1).toBe(1);
  });

  test("fails at once when a second read finds the same refusal, too", async () => {
    const refused = (message: string, generation = 2) =>
      partsWith({
        ...ON_ITS_WAY,
        pool: poolObject({
          metadata: { generation },
          status: {
            conditions: [
              { ...condition("ScaleSetRunning", "ScaleSetProvisionFailed", message), severity: "Error" },
            ],
          },
        }),
      });
    const shell = quickShell();
    const look = states(refused("no such image", 1), refused("no such image"), refused("no such image"));
    expect(await awaitRollout(shell, look, { isWatching: true })).toBe(1);
    expect(shell.env.clock.monotonic()).toBe(4000);
    expect(shell.written.out.split("\n").slice(-2)).toEqual([
      "AzureMachinePool default/pool has failed: ScaleSetProvisionFailed: no such image",
      "",
    ]);
    const mended = quickShell();
    const changing = states(refused("no such image", 1), ON_ITS_WAY, DONE);
    expect(await awaitRollout(mended, changing, { isWatching: true })).toBe(0);
    const settled = partsWith({ pool: refused("no such image").pool });
    expect(await awaitRollout(quickShell(), states(settled), { isWatching: true })).toBe(1);
  });

  test("waits for a machine whose Node a user has cordoned, and prints that", async () => {
    const schedulable = { ...condition("NodeSchedulable", "NodeCordoned", "a user has cordoned it") };
    const [ready] = machineObject(1, "v1-new").status?.conditions ?? [];
    const conditions = [...(ready ? [ready] : []), { ...schedulable, severity: "Info" as const }];
    const cordoned = partsWith({
      machines: [machineObject(0, "v1-new"), machineObject(1, "v1-new", { status: { conditions } })],
      machinePool: machinePoolObject({ spec: { replicas: 2 } }),
    });
    const shell = quickShell();
    expect(await awaitRollout(shell, states(cordoned), { isWatching: false })).toBe(1);
    expect(shell.written.out).toBe(
      "Waiting for AzureMachinePool default/pool: 2 of 2 up to date, 1 available\n" +
        "pool-1, NodeCordoned: a user has cordoned it\n",
    );
    expect(rolloutTree(rolloutState(cordoned, NOW_MS))).toContain(
      "pool-1   Running, not available for 3m: NodeCordoned, a user has cordoned it",
    );
  });

  test("waits until the last machine has been Ready for minReadySeconds", async () => {
    const [ready] = machineObject(2, "v1-new").status?.conditions ?? [];
    const conditions = ready && [{ ...ready, lastTransitionTime: "2026-01-01T11:59:50Z" }];
    const parts = (minReadySeconds: number): PoolParts =>
      partsWith({
        machinePool: machinePoolObject({ spec: { template: { spec: { minReadySeconds } } } }),
        machines: [0, 1, 2].map((id) =>
          machineObject(id, "v1-new", id === 2 && conditions ? { status: { conditions } } : {}),
        ),
      });
    expect([600, 10, 0].map((seconds) => rolloutState(parts(seconds), NOW_MS).isDone)).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("prints which other MachinePool refers to the pool", async () => {
    const parts = partsWith({ rivals: [machinePoolObject({ metadata: { name: "other" } })] });
    const shell = quickShell();
    await awaitRollout(shell, states(parts), { isWatching: false });
    const note =
      "note: MachinePool default/other refers to AzureMachinePool default/pool, too, and is ignored: pool comes first";
    expect(shell.written.out).toContain(`\n${note}\n`);
    expect(rolloutTree(rolloutState(parts, NOW_MS))).toContain(`└── ${note}\n`);
  });

  test("does not mention a budget that is used up only until a new machine is available", async () => {
    const machines = [...ON_ITS_WAY.machines, machineObject(3, "v1-new", { status: { ready: false } })];
    const surging = partsWith({ machines });
    expect(rolloutState(surging, NOW_MS).plan.blocked).toMatchObject([{ reason: "BudgetUsedUp" }]);
    const shell = quickShell();
    await awaitRollout(shell, states(surging), { isWatching: false });
    expect(shell.written.out).not.toContain("blocked");
  });

  test("survives a server that is unavailable for a while, and prints that once each time", async () => {
    const shell = quickShell();
    const look = states(ON_ITS_WAY, AWAY, AWAY, ON_ITS_WAY, AWAY, DONE);
    expect(await awaitRollout(shell, look, { isWatching: true })).toBe(0);
    const away = "capstan: no answer, trying again: connection refused (GET /apis)\n";
    expect(shell.written.err).toBe(away + away);
    expect(shell.written.out.split("\n").length).toBe(4);
    const late = quickShell();
    const patience = { isWatching: true, timeoutMs: 10_000 };
    expect(await awaitRollout(late, states(ON_ITS_WAY, AWAY), patience)).toBe(1);
    expect(late.written.err).toBe(`${away}capstan: gave up after 10s: ${LATE}\n`);
  });

  test.each([
    ["a server that never answered", [AWAY]],
    ["a pool that is gone", [ON_ITS_WAY, new CommandError("there is no pool")]],
    ["a permission that was revoked", [ON_ITS_WAY, transient("Forbidden", "you may not")]],
  ])("does not wait for %s", async (_, seen) => {
    const watching = { isWatching: true };
    await expect(awaitRollout(quickShell(), states(...seen), watching)).rejects.toBe(seen.at(-1));
    await expect(showRollout(quickShell(), states(...seen))).rejects.toBe(seen.at(-1));
  });

  test("ends with an error when the server does not come back", async () => {
    const gone = "no answer for 2m: connection refused (GET /apis)";
    const seen = () => states(ON_ITS_WAY, AWAY);
    await expect(awaitRollout(quickShell(), seen(), { isWatching: true })).rejects.toThrow(gone);
    await expect(showRollout(quickShell({ isTerminal: true }), seen())).rejects.toThrow(gone);
  });

  test("prints a line of JSON for each change, for programs", async () => {
    const shell = quickShell();
    await awaitRollout(shell, states(ON_ITS_WAY, ON_ITS_WAY, FAILED), { isWatching: true, output: "json" });
    const lines = shell.written.out.trimEnd().split("\n");
    const about = {
      apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
      kind: "AzureMachinePool",
      namespace: "default",
      name: "pool",
    };
    const machines = { desired: 3, available: 3, updating: 0, leaving: 0 };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { ...about, state: "Waiting", machines: { ...machines, upToDate: 2, outdated: 1 }, causes: [] },
      {
        ...about,
        state: "Failed",
        machines: { ...machines, upToDate: 3, outdated: 0 },
        causes: [{ reason: "Failed", message: "QuotaExceeded: no cores left" }],
      },
    ]);
  });

  test("ends quietly at its time, although the read that it has given up then fails", async () => {
    const shell = quickShell();
    const later = Promise.withResolvers<never>();
    const first = states(ON_ITS_WAY);
    let reads = 0;
    const look = () => (reads++ === 0 ? first() : later.promise);
    const waiting = awaitRollout(shell, look, { isWatching: true, timeoutMs: 2000 });
    expect(await waiting).toBe(1);
    later.reject(AWAY);
    await later.promise.catch(() => undefined);
    await Promise.resolve();
    expect(shell.written.err).toBe(`capstan: gave up after 2s: ${LATE}\n`);
  });

  test("does not succeed when it is interrupted", async () => {
    const shell = quickShell({ waits: 2 });
    expect(await awaitRollout(shell, states(ON_ITS_WAY), { isWatching: true })).toBe(130);
  });
});

describe("rollout watch", () => {
  test("groups the machines by what happens to them", () => {
    expectGolden("tree-rolling", rolloutTree(rolloutState(DRAINING, NOW_MS)));
    expectGolden("tree-done", rolloutTree(rolloutState(DONE, NOW_MS)));
  });

  test("counts the healthy machines of a large pool", () => {
    const machines = Array.from({ length: 25 }, (_, id) =>
      machineObject(id, "v1-new", {
        metadata: { creationTimestamp: NOW },
        ...(id === 20 && { status: { ready: false } }),
      }),
    );
    const text = rolloutTree(rolloutState(partsWith({ machines }), NOW_MS));
    expect(text).toContain("up to date: 25, 24 available");
    expect(text).toContain("pool-20   Running, not available");
    expect(text.split("\n").length).toBeLessThan(40);
    expect(text).toContain("├── pool-2   available\n    ├── pool-3   available");
    expect(rolloutTree(rolloutState(partsWith({ machines }), NOW_MS), { rows: 10 })).toContain("and 19 more");
  });

  test("never shows a surge above its limit: machines that scaling down removes are counted beside it", () => {
    const machines = [0, 1, 2, 3, 4, 5].map((id) => machineObject(id, "v1-new"));
    const text = rolloutTree(rolloutState(partsWith({ machines }), NOW_MS));
    expect(text).toContain("surge 1/1 · to remove 2 · leaving 0");
  });

  const FORECAST_MS = 148_000;
  const BEGUN = { beganMs: NOW_MS, expectedEndMs: NOW_MS + FORECAST_MS, forecastMs: FORECAST_MS };

  test("redraws a terminal when something has changed, and only then", async () => {
    const shell = quickShell({ waits: 3, isTerminal: true });
    expect(await showRollout(shell, states(ON_ITS_WAY, ON_ITS_WAY, DONE))).toBe(130);
    const screens = shell.written.out.split("\u001B[H\u001B[J").slice(1);
    const began = { ...BEGUN, outdated: 1 };
    const paces = [began, { ...began, endedMs: NOW_MS }];
    expect(screens).toEqual(
      [ON_ITS_WAY, DONE].map((parts, index) =>
        rolloutTree(rolloutState(parts, NOW_MS), { pace: paces[index] }),
      ),
    );
  });

  test("shows below the last state that the server does not answer, until it does", async () => {
    const shell = quickShell({ waits: 4, isTerminal: true });
    await showRollout(shell, states(ON_ITS_WAY, AWAY, AWAY, ON_ITS_WAY));
    const pace = { ...BEGUN, outdated: 1 };
    const tree = `\u001B[H\u001B[J${rolloutTree(rolloutState(ON_ITS_WAY, NOW_MS), { pace })}`;
    expect(shell.written).toEqual({
      out: `${tree}no answer, trying again: connection refused (GET /apis)\n${tree}`,
      err: "",
    });
    const piped = quickShell({ waits: 4 });
    await showRollout(piped, states(ON_ITS_WAY, AWAY, AWAY, ON_ITS_WAY));
    expect(piped.written.err).toBe("capstan: no answer, trying again: connection refused (GET /apis)\n");
    expect(piped.written.out.split("\n").length).toBe(2);
  });

  test.each([
    ["it is rolled out", DONE, 0, "is rolled out"],
    ["it has failed", FAILED, 1, "has failed: QuotaExceeded: no cores left"],
  ])(
    "writes a line for each change without a terminal, and ends as rollout status when %s",
    async (_, end, code, words) => {
      const shell = quickShell();
      expect(await showRollout(shell, states(ON_ITS_WAY, ON_ITS_WAY, end))).toBe(code);
      expect(shell.env.clock.monotonic()).toBe(4000);
      const [, ...lines] = shell.written.out.trimEnd().split("\n");
      expect(lines).toEqual([
        expect.stringContaining(words),
        ...(code === 0 ? [expect.stringMatching(/^took 0s, forecast \w+$/)] : []),
      ]);
      expect(shell.written.out).not.toContain("\u001B");
    },
  );

  test("continues after the end on a terminal, until it is interrupted", async () => {
    const shell = quickShell({ waits: 3, isTerminal: true });
    expect(await showRollout(shell, states(DONE))).toBe(130);
    expect(shell.env.clock.monotonic()).toBe(6000);
  });
});
