import type { CloudState, JournalEntry } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import { azureList, type AzureSource, azureView } from "./azure.ts";

const GROUP = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/Quay";
const SET = `${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/workers`;
const entry = (sequence: number): JournalEntry => ({
  sequence,
  atMs: sequence * 1000,
  method: "GET",
  path: SET,
  principal: "p",
  status: 200,
  operation: "GET virtualMachineScaleSets",
});

function source(state: Partial<CloudState>, entries: readonly JournalEntry[] = []) {
  const asked: number[] = [];
  const azure: AzureSource = {
    speed: 20,
    seed: "s",
    faults: () => [],
    state: () =>
      ({
        resources: [],
        machines: [],
        budgets: [],
        runningOperations: [],
        ...state,
      }) as unknown as CloudState,
    journal: (since) => {
      asked.push(since ?? 0);
      return entries.filter(({ sequence }) => sequence > (since ?? 0));
    },
  };
  return { azure, asked };
}

const flags = "--data-dir x";

test("resources follow the one that they are in, with the operation that runs on them", () => {
  const { azure } = source({
    resources: [
      { id: `${GROUP}-old`, type: "Microsoft.Resources/resourceGroups", state: "Succeeded" },
      { id: SET, type: "Microsoft.Compute/virtualMachineScaleSets", state: "Updating" },
      { id: GROUP, type: "Microsoft.Resources/resourceGroups", state: "Succeeded" },
    ],
    runningOperations: [
      { id: "o", name: "PUT virtualMachineScaleSets", resourceId: SET.toUpperCase(), startMs: 1, dueMs: 9 },
    ],
  });
  expect(azureView({ azure, list: "resources", flags }).read()).toMatchObject({
    rows: [
      { name: "Quay", depth: 0, type: "resourceGroups" },
      {
        name: "workers",
        depth: 1,
        group: "Quay",
        operation: { name: "PUT virtualMachineScaleSets", dueMs: 9 },
      },
      { name: "Quay-old", depth: 0 },
    ],
  });
});

test("instances have a model, virtual machines have none", () => {
  const { azure } = source({
    machines: [
      { id: `${SET}/virtualMachines/3`, state: "Succeeded", power: "running", isLatest: false },
      { id: `${GROUP}/providers/Microsoft.Compute/virtualMachines/a`, state: "Creating", power: "creating" },
    ],
  });
  const { rows } = azureView({ azure, list: "machines", flags }).read() as { rows: readonly object[] };
  expect(rows[0]).toMatchObject({ name: "3", set: "workers", power: "running", isLatest: false });
  expect(rows[1]).not.toHaveProperty("isLatest");
});

test("the newest requests come first, and the journal is asked for new ones alone", () => {
  const { azure, asked } = source({}, [entry(1), entry(2)]);
  const view = azureView({ azure, list: "requests", flags });
  expect(view.read()).toMatchObject({
    head: { counts: { requests: 2 }, commands: [`npx capstan sim journal ${flags}`, expect.anything()] },
    rows: [{ key: "2", path: SET.slice(SET.indexOf("/resourceGroups")) }, { key: "1" }],
  });
  expect(view.read()).toMatchObject({ rows: [{ key: "2" }, { key: "1" }] });
  expect(asked).toEqual([0, 2]);
});

test("the emptiest budget comes first, and its name has short numbers", () => {
  const { azure } = source({
    budgets: [
      { name: "11111111-2222-3333-4444-555555555555/reads", left: 200, capacity: 250 },
      { name: "PutVMScaleSet", left: 1, capacity: 10 },
    ],
  });
  expect(azureView({ azure, list: "machines", flags }).read()).toMatchObject({
    head: { budgets: [{ name: "PutVMScaleSet" }, { name: "11111111…/reads" }] },
  });
});

test.each([
  [undefined, "resources"],
  ["requests", "requests"],
  ["secrets", undefined],
])("the list of the address %j is %s", (name, list) => {
  expect(azureList(name)).toBe(list);
});
