import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { AzureMachinePoolMachine } from "./azure-machine-pool-machine.ts";

const ID =
  "azure:///subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg/providers/Microsoft.Compute/virtualMachineScaleSets/mp-0/virtualMachines/3";

const machine = (providerID: string): AzureMachinePoolMachine => ({
  apiVersion: AzureMachinePoolMachine.apiVersion,
  kind: AzureMachinePoolMachine.kind,
  metadata: { name: "mp-0-3", namespace: "default" },
  spec: { providerID, instanceID: "3" },
});
const errors = (object: AzureMachinePoolMachine, old?: AzureMachinePoolMachine): string[] =>
  AzureMachinePoolMachine.validate({ object, ...(old && { old }) }).map(formatFieldError);

describe("a machine of a pool", () => {
  test("represents an instance", () => {
    expect(errors(machine(ID))).toEqual([]);
    expect(errors(machine(ID), machine(ID))).toEqual([]);
  });

  test("must name its instance", () => {
    expect(errors(machine("aws:///i-1"))).toEqual([
      'spec.providerID: Invalid value: "aws:///i-1": a provider id starts with "azure:///subscriptions/"',
    ]);
  });

  test("keeps its instance for life", () => {
    expect(errors(machine(ID.replace("/3", "/4")), machine(ID))).toEqual([
      "spec.providerID: Forbidden: cannot change: a machine stands for one instance for life",
    ]);
    const numbered = (instanceID?: string) => {
      const { spec, ...rest } = machine(ID);
      return { ...rest, spec: { ...spec, ...(instanceID !== undefined && { instanceID }) } };
    };
    expect(errors(numbered("3"), numbered())).toEqual([]);
    expect(errors(numbered("4"), numbered("3"))).toEqual([
      'spec.instanceID: Forbidden: cannot change: a machine stands for one instance for life; it was "3"',
    ]);
  });
});
