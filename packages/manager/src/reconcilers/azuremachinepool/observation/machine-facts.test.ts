import type { AzureMachinePoolMachine, Frozen, Node } from "@capstan/api";
import { Scheduler, VirtualProcess } from "@capstan/env";
import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import type { WorkloadNodes } from "../../../workload/nodes.ts";
import { instanceOf, machineOf, nodeOf } from "../../../pools/machine.fixture.ts";
import { machineFacts } from "./machine-facts.ts";
import type { MachineFacts } from "./machine-view.ts";
import { PoolCache } from "../cache/pool-cache.ts";
import type { NormalScope } from "../scope.ts";

const IMPOSTOR = { metadata: { name: "impostor", uid: "other-uid" } };
const impostor = nodeOf(IMPOSTOR, { status: { nodeInfo: { systemUUID: "other" } } });

/** Passes over a pool of one machine, each with the Nodes that claim to be it, or while the workload cluster does not answer. */
function passes(
  machines: readonly AzureMachinePoolMachine[] = [machineOf()],
  instance = instanceOf(),
): (candidates?: readonly Frozen<Node>[]) => MachineFacts | undefined {
  const scope = {
    poolCache: new PoolCache(new VirtualProcess(new Scheduler({ seed: "join" }), "manager").clock),
    pool: azureMachinePool(),
    context: { cache: { list: () => machines } },
  } as unknown as NormalScope;
  const observation = { set: undefined, isLiveRead: true, instances: [instance], listedAtMs: 0 };
  const nodesWith = (list: readonly Frozen<Node>[]) =>
    ({
      of: () => list,
      found: () => (list.length > 0 ? { list, isOver: false } : undefined),
    }) as unknown as WorkloadNodes;
  return (candidates) => machineFacts(scope, observation, candidates && nodesWith(candidates))[0];
}

test("the Node of a machine is the one that its instance bears out, and no other", () => {
  const pass = passes();
  expect(pass([nodeOf()])?.node?.metadata.name).toBe("pool000000");
  expect(pass([impostor])?.node).toBeUndefined();
  expect(pass([impostor, nodeOf()])?.node?.metadata.name).toBe("pool000000");
  expect(pass([nodeOf(), nodeOf({ metadata: { uid: "other-uid" } })])?.node).toBeUndefined();
});

test("so is that of an instance without a resource", () => {
  const pass = passes([]);
  expect(pass([nodeOf()])?.node?.metadata.name).toBe("pool000000");
  expect(pass([impostor])?.node).toBeUndefined();
});

test("a Node that was matched to the machine before needs no confirmation by the instance", () => {
  const pass = passes([machineOf({ status: { nodeRef: { uid: "other-uid" } } })]);
  expect(pass([impostor])?.node).toBe(impostor);
});

test("the facts of an unchanged machine are reused, with a Node or without one", () => {
  const pass = passes();
  const candidates = [nodeOf()];
  const joined = pass(candidates);
  expect(pass(candidates)).toBe(joined);
  const lost = pass([]);
  expect(lost).not.toBe(joined);
  expect(pass([])).toBe(lost);
});

const READY = { status: { ready: true } };
const UPDATED = { status: { instanceUpdate: { startedAt: "2026-01-01T00:59:00Z" } } };
const LEAVING = { metadata: { deletionTimestamp: "2026-01-01T00:59:00Z" } };

test.each([
  ["was Ready works", true, machineOf(READY), instanceOf()],
  ["was not Ready does not work", false, machineOf({ status: { ready: false } }), instanceOf()],
  ["has not said anything yet does not work", false, machineOf(), instanceOf()],
  ["leaves does not work, however Ready it was", false, machineOf(READY, LEAVING), instanceOf()],
  ["is updated in place does not work, however Ready it was", false, machineOf(READY, UPDATED), instanceOf()],
  [
    "is off by now does not work, however Ready it was",
    false,
    machineOf(READY),
    instanceOf({}, "deallocated"),
  ],
  [
    "Azure deletes does not work, however Ready it was",
    false,
    machineOf(READY),
    instanceOf({ provisioningState: "Deleting" }),
  ],
])("while the workload cluster does not answer, a machine that %s", (_, isAvailable, machine, instance) => {
  expect(passes([machine], instance)()?.isAvailable).toBe(isAvailable);
});

test("an instance without a resource is unavailable while the workload cluster does not answer", () => {
  expect(passes([])()?.isAvailable).toBe(false);
});

test("what a status says counts only until Nodes can be looked at again", () => {
  const pass = passes([machineOf(READY)]);
  const blind = pass();
  expect(pass()).toBe(blind);
  expect(pass([])).not.toHaveProperty("isAvailable");
  expect(pass([nodeOf()])).not.toHaveProperty("isAvailable");
  expect(pass()).toEqual(blind);
});
