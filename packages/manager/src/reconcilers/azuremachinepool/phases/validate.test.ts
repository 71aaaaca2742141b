import { AzureMachinePool, withDefaults } from "@capstan/api";
import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { validate } from "./validate.ts";
import type { NormalScope } from "../scope.ts";

/** A pass over a pool that came past admission, or was there before admission refused it. */
function pass(spec: Partial<AzureMachinePool["spec"]>) {
  const pool = withDefaults(AzureMachinePool, azureMachinePool({ spec }));
  const conditions: string[] = [];
  const setCondition: NormalScope["context"]["setCondition"] = ({ type, reason }) =>
    void conditions.push(`${type} ${reason}`);
  return { scope: { pool, context: { setCondition }, poolCache: {} } as unknown as NormalScope, conditions };
}

describe("a pool that is there already", () => {
  test("is refused by a condition where its identity would need a role", async () => {
    const { scope, conditions } = pass({ identity: "SystemAssigned" });
    await expect(validate(scope)).rejects.toThrow(
      /^spec\.identity: "SystemAssigned" needs a role assignment/,
    );
    expect(conditions).toEqual(["ScaleSetRunning NotSupported"]);
  });

  test("is refused with field and value where it is wrong", async () => {
    const { scope, conditions } = pass({ nodeDrainTimeout: "1y" });
    await expect(validate(scope)).rejects.toThrow(/^spec\.nodeDrainTimeout: Invalid value: "1y"/);
    expect(conditions).toEqual(["ScaleSetRunning InvalidSpec"]);
  });

  test("is validated again for each generation of its spec", async () => {
    const { scope } = pass({ nodeDrainTimeout: "1y" });
    scope.pool.metadata.generation = 1;
    await expect(validate(scope)).rejects.toThrow(/"1y"/);
    await expect(validate(scope)).rejects.toThrow(/"1y"/);
    scope.pool.spec.nodeDrainTimeout = "2y";
    scope.pool.metadata.generation = 2;
    await expect(validate(scope)).rejects.toThrow(/"2y"/);
  });
});
