import type { AzureMachinePool } from "@capstan/api";
import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { specChanged, isMoreThanMachines, poolSpecOf } from "./pool-spec.ts";

interface Change {
  readonly metadata?: Partial<AzureMachinePool["metadata"]>;
  readonly spec?: Partial<AzureMachinePool["spec"]>;
}

const IDS = { providerIDList: ["azure:///a/0", "azure:///a/1"] };
const before = azureMachinePool({ metadata: { generation: 1, labels: { a: "b" } }, spec: IDS });
const after = (change: Change) =>
  azureMachinePool({ ...change, metadata: { generation: 2, labels: { a: "b" }, ...change.metadata } });

test.each<[string, Change, { specDiffers: boolean; more: boolean }]>([
  ["other machines", { spec: { providerIDList: ["azure:///a/7"] } }, { specDiffers: false, more: false }],
  ["no machines any more", {}, { specDiffers: false, more: false }],
  ["another location", { spec: { ...IDS, location: "northeurope" } }, { specDiffers: true, more: true }],
  ["another label", { metadata: { labels: { a: "c" } }, spec: IDS }, { specDiffers: false, more: true }],
  [
    "an annotation beside other machines",
    { metadata: { annotations: { pause: "" } } },
    { specDiffers: false, more: true },
  ],
  [
    "a deletion",
    { metadata: { deletionTimestamp: "2026-11-16T00:00:00Z" }, spec: IDS },
    { specDiffers: false, more: true },
  ],
])("a pool with %s is compared with its earlier spec", (_, change, { specDiffers, more }) => {
  expect({
    specDiffers: specChanged(before, after(change)),
    more: isMoreThanMachines(before, after(change)),
  }).toEqual({ specDiffers, more });
});

test("the desired spec of a pool is its spec without its machines", () => {
  const { providerIDList: _, ...rest } = before.spec;
  expect(poolSpecOf(before)).toEqual(rest);
});
