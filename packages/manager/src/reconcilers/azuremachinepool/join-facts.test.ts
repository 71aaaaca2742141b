import type { AzureMachinePoolMachine, Frozen, Node } from "@capstan/api";
import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import type { WorkloadNodes } from "../../workload/nodes.ts";
import { instanceOf, machineOf, nodeOf } from "../azuremachinepoolmachine/machine.fixture.ts";
import { joinFacts } from "./join-facts.ts";
import type { MachineFacts } from "./machine-view.ts";
import type { Scope } from "./scope.ts";

const instance = instanceOf();
const IMPOSTOR = { metadata: { name: "impostor", uid: "other-uid" } };
const impostor = nodeOf(IMPOSTOR, { status: { nodeInfo: { systemUUID: "other" } } });

/** Passes over a pool of one machine, each with the Nodes that say they are it. */
function passes(
  machines: readonly AzureMachinePoolMachine[] = [machineOf()],
): (candidates: readonly Frozen<Node>[]) => MachineFacts | undefined {
  const scope = {
    memory: { joins: new WeakMap(), endedOn: () => undefined },
    pool: azureMachinePool(),
    context: { cache: { list: () => machines } },
  } as unknown as Scope;
  const sight = { set: undefined, isFirstHand: true, instances: [instance], listedAtMs: 0 };
  return (candidates) => joinFacts(scope, sight, { of: () => candidates } as unknown as WorkloadNodes)[0];
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

test("a Node that the machine has been before needs nobody to bear it out", () => {
  const pass = passes([machineOf({ status: { nodeRef: { uid: "other-uid" } } })]);
  expect(pass([impostor])?.node).toBe(impostor);
});

test("nothing is made anew for a machine of which nothing has changed, with a Node or without one", () => {
  const pass = passes();
  const candidates = [nodeOf()];
  const joined = pass(candidates);
  expect(pass(candidates)).toBe(joined);
  const lost = pass([]);
  expect(lost).not.toBe(joined);
  expect(pass([])).toBe(lost);
});
