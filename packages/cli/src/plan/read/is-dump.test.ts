import { expect, test } from "vitest";
import { sortObjects } from "./given-objects.ts";
import { isDump } from "./is-dump.ts";
import { machineObject, machinePoolObject, poolObject } from "../planners/pool-objects.fixture.ts";

const [POOL, MACHINE_POOL] = [poolObject(), machinePoolObject()];

test.each([
  ["a MachinePool that a server printed", [MACHINE_POOL], false],
  ["an AzureMachinePool that a server printed", [POOL], false],
  ["both", [POOL, MACHINE_POOL], true],
  ["one of them with a machine", [POOL, machineObject(0, "v1-new")], true],
])("%s: is it a dump?", (_, objects, expected) => {
  expect(isDump(sortObjects(objects as never, "default"))).toBe(expected);
});
