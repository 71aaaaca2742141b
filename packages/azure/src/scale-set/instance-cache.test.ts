import { describe, expect, test } from "vitest";
import { SCALE_SET } from "../azure.fixture.ts";
import { parseInstance, type ScaleSetInstance } from "./instance.ts";
import { InstanceCache } from "./instance-cache.ts";

function instance(id: number, provisioningState = "Succeeded", set = SCALE_SET): ScaleSetInstance {
  const parsed = parseInstance({
    id: `${set}/virtualMachines/${id}`,
    instanceId: String(id),
    properties: { provisioningState },
  });
  if (!parsed) throw new Error("no instance");
  return parsed;
}

const idOf = (id: number): string => instance(id).providerID;

describe("the instance cache", () => {
  test("has no instances before the first list", () => {
    const instanceCache = new InstanceCache();
    expect(instanceCache.instance(idOf(1))).toEqual({ state: "unknown" });
    instanceCache.record(`${SCALE_SET}0`, [], 1);
    expect(instanceCache.instance(idOf(1))).toEqual({ state: "unknown" });
  });

  test("returns the instances of the last list, ignoring the case of the id", () => {
    const instanceCache = new InstanceCache();
    instanceCache.record(SCALE_SET.toUpperCase(), [instance(1)], 7);
    expect(instanceCache.instance(idOf(1).toUpperCase().replace("AZURE:", "azure:"))).toMatchObject({
      state: "seen",
      instance: { instanceID: "1" },
      atMs: 7,
    });
    expect(instanceCache.instance(idOf(10))).toEqual({ state: "gone", atMs: 7 });
    instanceCache.forget(SCALE_SET);
    expect(instanceCache.instance(idOf(1))).toEqual({ state: "unknown" });
  });

  test("reports instances that were added, changed and removed, and no others", () => {
    const instanceCache = new InstanceCache();
    const reported: (readonly string[])[] = [];
    instanceCache.onChange((ids) => reported.push(ids));
    instanceCache.record(SCALE_SET, [instance(1), instance(2, "Creating")], 1);
    instanceCache.record(SCALE_SET, [instance(1), instance(2, "Creating")], 2);
    instanceCache.record(SCALE_SET, [instance(1), instance(2), instance(3)], 3);
    instanceCache.record(SCALE_SET, [instance(2), instance(3)], 4);
    expect(reported).toEqual([[idOf(1), idOf(2)], [idOf(2), idOf(3)], [idOf(1)]]);
    expect(instanceCache.instance(idOf(2))).toMatchObject({ atMs: 4 });
  });
});
