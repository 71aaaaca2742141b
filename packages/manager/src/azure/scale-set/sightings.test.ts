import { describe, expect, test } from "vitest";
import { SCALE_SET } from "../azure.fixture.ts";
import { parseInstance, type ScaleSetInstance } from "./instance.ts";
import { ScaleSetSightings } from "./sightings.ts";

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

describe("sightings of instances", () => {
  test("know nothing before the first list", () => {
    const sightings = new ScaleSetSightings();
    expect(sightings.instance(idOf(1))).toEqual({ state: "unknown" });
    sightings.record(`${SCALE_SET}0`, [], 1);
    expect(sightings.instance(idOf(1))).toEqual({ state: "unknown" });
  });

  test("say what the last list showed, in whatever case the id is written", () => {
    const sightings = new ScaleSetSightings();
    sightings.record(SCALE_SET.toUpperCase(), [instance(1)], 7);
    expect(sightings.instance(idOf(1).toUpperCase().replace("AZURE:", "azure:"))).toMatchObject({
      state: "seen",
      instance: { instanceID: "1" },
      atMs: 7,
    });
    expect(sightings.instance(idOf(10))).toEqual({ state: "gone", atMs: 7 });
    sightings.forget(SCALE_SET);
    expect(sightings.instance(idOf(1))).toEqual({ state: "unknown" });
  });

  test("tell of instances that came, changed and went, and of no others", () => {
    const sightings = new ScaleSetSightings();
    const told: (readonly string[])[] = [];
    sightings.onChange((ids) => told.push(ids));
    sightings.record(SCALE_SET, [instance(1), instance(2, "Creating")], 1);
    sightings.record(SCALE_SET, [instance(1), instance(2, "Creating")], 2);
    sightings.record(SCALE_SET, [instance(1), instance(2), instance(3)], 3);
    sightings.record(SCALE_SET, [instance(2), instance(3)], 4);
    expect(told).toEqual([[idOf(1), idOf(2)], [idOf(2), idOf(3)], [idOf(1)]]);
    expect(sightings.instance(idOf(2))).toMatchObject({ atMs: 4 });
  });
});
