import type { AzureMachinePoolMachine } from "@capstan/api";
import { expect, test } from "vitest";
import { MACHINE_POOL_LABEL } from "./well-known.ts";
import { claimOf, inOrderOfClaims, precedingName } from "./claims.ts";
import { machineOf } from "./machine.fixture.ts";

const LABELS = { [MACHINE_POOL_LABEL]: "pool" };

function named(name: string, labels = LABELS, namespace = "default"): AzureMachinePoolMachine {
  return machineOf({ metadata: { name, namespace, labels } });
}

/** The name of the resource that has the claim before a machine, among the cached ones. */
function before(machine: AzureMachinePoolMachine, others: readonly AzureMachinePoolMachine[]) {
  const list = (): never => [...others, machine] as never;
  return precedingName(machine, { list, get: () => undefined });
}

test("an instance belongs to the resource that the pool has created, and otherwise to the first by name", () => {
  const claims = ["z", "pool-7", "pool-0", "a"].map((name) => claimOf(named(name)));
  const names = inOrderOfClaims(claims).map(({ machine }) => machine.metadata.name);
  expect(names).toEqual(["pool-0", "a", "pool-7", "z"]);
});

test.each<[string, readonly string[], string | undefined]>([
  ["pool-0", ["a"], undefined],
  ["pool-0", [], undefined],
  ["a", [], undefined],
  ["a", ["pool-0"], "pool-0"],
  ["a", ["b"], undefined],
  ["b", ["a"], "a"],
])("%s beside %j is preceded by %s", (name, others, expected) => {
  expect(
    before(
      named(name),
      others.map((other) => named(other)),
    ),
  ).toBe(expected);
});

test("resources of other pools and namespaces precede no resource", () => {
  const others = [named("a", { [MACHINE_POOL_LABEL]: "other" }), named("a", LABELS, "elsewhere")];
  expect(before(named("b"), others)).toBeUndefined();
});
