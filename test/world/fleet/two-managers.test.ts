import { simulatedControllers } from "@capstan/cli";
import { type Call, rehearse, ViolationError } from "@capstan/sim";
import { expect, test } from "vitest";
import { recorded } from "./recorded.ts";
import { lifeUnderTwo, pausedAt } from "./two-managers.ts";

test("of two managers only the leader writes, to any server, and the other only tries for the Lease", async () => {
  const { calls, invariant } = recorded();
  const { failure } = await rehearse(lifeUnderTwo("1", [invariant]));
  expect(failure).toBeUndefined();
  const writes = calls.filter(({ isWrite, resource }) => isWrite && resource !== "leases");
  expect(new Set(writes.map(({ process }) => process)).size).toBe(1);
  expect(new Set(writes.map(({ server }) => server)), "all of these writes are seen").toEqual(
    new Set(["management", "azure", "demo"]),
  );
  expect(new Set(calls.map(({ process }) => process))).toEqual(new Set(["manager-1", "manager-2"]));
});

test("a leader that is paused until another one leads writes nothing when it continues", async () => {
  const calm = await rehearse(lifeUnderTwo("1"));
  expect(calm.failure).toBeUndefined();
  for (let write = 2; write <= calm.writes; write += 61) await pausedAt("1", write, calm);
});

test("without the check before each write to Azure and workload clusters, the invariant detects a paused leader", async () => {
  const life = lifeUnderTwo("1");
  const unguarded: typeof simulatedControllers = (connections) =>
    simulatedControllers({ ...connections, assertMayWrite: () => undefined });
  const { calls, invariant } = recorded();
  const { writes } = await rehearse(lifeUnderTwo("1", [invariant]));
  const isAzure = ({ server }: Call): boolean => server === "azure";
  const firstToAzure = calls.filter(({ isWrite }) => isWrite).findIndex(isAzure) + 1;
  const caught: string[] = [];
  for (let write = firstToAzure; write <= writes && caught.length === 0; write++) {
    const fault = { fault: "two-leaders", when: { trigger: { nth: write } } };
    const world = { ...life.world, controllers: unguarded };
    const { failure } = await rehearse({ ...life, world }, [fault]);
    if (failure instanceof ViolationError) caught.push(failure.invariant.name);
  }
  expect(caught).toEqual(["single-writer"]);
});
