import { HANDS_OVER_MACHINES_ANNOTATION, RECEIVES_MACHINES_ANNOTATION } from "@capstan/api";
import { machine, machineSet } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { countedMachines, DEPLOYMENT_FIELD_MANAGER, forgedRecords } from "./recorded-moves.ts";

const machines = [
  machine({ metadata: { name: "stays" } }),
  machine({ metadata: { name: "leaves" } }),
  machine({ metadata: { name: "deleted", deletionTimestamp: "2026-01-01T00:00:00Z" } }),
];

test("a set does not count machines that it hands over, except those that are being deleted and stay", () => {
  const annotations = { [HANDS_OVER_MACHINES_ANNOTATION]: "leaves,deleted" };
  const counted = (metadata: object): readonly string[] =>
    countedMachines(machineSet({ metadata }), machines).map((one) => one.metadata.name);
  expect(counted({ annotations })).toEqual(["stays", "deleted"]);
  expect(counted({})).toEqual(["stays", "leaves", "deleted"]);
});

describe("a record of moves", () => {
  const annotations = { [RECEIVES_MACHINES_ANNOTATION]: "m1" };
  const owns = (annotation: string): object => ({
    "f:metadata": { "f:annotations": { [`f:${annotation}`]: {} } },
  });
  const by = (manager: string, operation: string, annotation: string): object => ({
    annotations,
    managedFields: [{ manager, operation, fieldsV1: owns(annotation) }],
  });

  test.each<[string, object, boolean]>([
    [
      "that its MachineDeployment applied counts",
      by(DEPLOYMENT_FIELD_MANAGER, "Apply", RECEIVES_MACHINES_ANNOTATION),
      false,
    ],
    ["of another manager is forged", by("kubectl", "Apply", RECEIVES_MACHINES_ANNOTATION), true],
    [
      "that was updated in the name of the MachineDeployment is forged",
      by(DEPLOYMENT_FIELD_MANAGER, "Update", RECEIVES_MACHINES_ANNOTATION),
      true,
    ],
    [
      "beside another record of the MachineDeployment is forged",
      by(DEPLOYMENT_FIELD_MANAGER, "Apply", HANDS_OVER_MACHINES_ANNOTATION),
      true,
    ],
    ["without a manager is forged", { annotations }, true],
  ])("%s", (_, metadata, isForged) => {
    expect(forgedRecords(machineSet({ metadata }))).toEqual(isForged ? [RECEIVES_MACHINES_ANNOTATION] : []);
  });
});
