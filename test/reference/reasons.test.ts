import { expect, test } from "vitest";
import { AKS_REASONS } from "../../packages/manager/src/reasons/aks.ts";
import { AZURE_MACHINE_REASONS } from "../../packages/manager/src/reasons/azure-machines.ts";
import { AZURE_REASONS } from "../../packages/manager/src/reasons/azure.ts";
import { BOOTSTRAP_REASONS } from "../../packages/manager/src/reasons/bootstrap.ts";
import { CLUSTER_REASONS } from "../../packages/manager/src/reasons/clusters.ts";
import { CONTROL_PLANE_REASONS } from "../../packages/manager/src/reasons/control-planes.ts";
import { MACHINE_DEPLOYMENT_REASONS } from "../../packages/manager/src/reasons/machine-deployments.ts";
import { MACHINE_REASONS } from "../../packages/manager/src/reasons/machines.ts";
import { POOL_REASONS } from "../../packages/manager/src/reasons/pools.ts";
import { PROTOTYPE_REASONS } from "../../packages/manager/src/reasons/prototypes.ts";
import { IN_PLACE_REASONS } from "../../packages/manager/src/reasons/in-place.ts";
import { REASONS } from "../../packages/manager/src/reasons/reasons.ts";
import { readReasonSources, reasonsIn, type ReasonSources } from "../../tools/reason-sources.ts";
import { reasonProblems } from "../../tools/reasons-page.ts";

const TABLE = { DiskFull: { meaning: "The disk is full.", cure: "Delete files." } };

function sourcesOf(text: string): ReasonSources {
  return { kinds: [{ name: "Widget", ...reasonsIn(text) }], shared: [], holds: [] };
}

test("a reason that the table explains is no problem", () => {
  expect(reasonProblems(sourcesOf('throw waiting("DiskFull", message);'), TABLE)).toEqual([]);
});

test("a reason without an entry is a problem", () => {
  const text = 'throw terminal("DiskFull", message); throw terminal("DiskLost", message);';
  expect(reasonProblems(sourcesOf(text), TABLE)).toEqual([
    "DiskLost (Widget) has no meaning and cure; add it to a table in packages/manager/src/reasons",
  ]);
});

test("what can hold a pool needs an entry", () => {
  const sources = { ...sourcesOf('reason: "DiskFull"'), holds: ["PoolHeld"] };
  expect(reasonProblems(sources, TABLE)).toEqual([
    "PoolHeld (BlockedReason) has no meaning and cure; add it to a table in packages/manager/src/reasons",
  ]);
});

test("an entry that no controller gives is a problem", () => {
  expect(reasonProblems(sourcesOf(""), TABLE)).toEqual([
    "DiskFull is explained in packages/manager/src/reasons, but no controller gives it; remove it",
  ]);
});

test.each([
  ["a failure", 'waiting(\n  "DiskFull", message)'],
  ["an outcome", 'return block(POLL_MS, "DiskFull");'],
  ["an outcome whose time is computed", 'again(Math.min(waitMs, left(POLL_MS)), "DiskFull")'],
  ["a condition", '{ type, status: "False", severity: "Info", reason: "DiskFull" }'],
  ["a default", 'const { reason = "DiskFull" } = failure;'],
  ["a constant", 'const FULL = "DiskFull";\nreturn block(0, FULL);'],
  ["a table of reasons", 'const WAITING_REASONS: T = { disk: "DiskFull" };'],
  ["an error of Azure that we make", 'new AzureError({ class: "Auth", code: "DiskFull", message })'],
])("%s gives a reason", (_, text) => {
  expect(reasonsIn(text)).toEqual({ reasons: ["DiskFull"], events: [] });
});

test("a choice gives both reasons", () => {
  expect(reasonsIn('reason: isFull ? "DiskFull" : "DiskLost"').reasons).toEqual(["DiskFull", "DiskLost"]);
});

test("a comparison gives no reason", () => {
  expect(reasonsIn('if (failure.reason === "DiskFull") return;').reasons).toEqual([]);
});

test("the reason of an event is not one of a condition", () => {
  const text = 'context.event({ type: "Normal", reason: "DiskFull", message });';
  expect(reasonsIn(text)).toEqual({ reasons: [], events: ["DiskFull"] });
});

test("each reason of the product is in one table only, which is sorted", () => {
  const tables = [
    AKS_REASONS,
    AZURE_MACHINE_REASONS,
    AZURE_REASONS,
    BOOTSTRAP_REASONS,
    CLUSTER_REASONS,
    CONTROL_PLANE_REASONS,
    MACHINE_DEPLOYMENT_REASONS,
    MACHINE_REASONS,
    POOL_REASONS,
    PROTOTYPE_REASONS,
    IN_PLACE_REASONS,
  ];
  const names = tables.map((table) => Object.keys(table));
  for (const one of names) expect(one).toEqual(one.toSorted());
  expect(names.flat().toSorted()).toEqual(Object.keys(REASONS).toSorted());
});

test("each reason of the product is explained, and each explained reason is given", () => {
  expect(reasonProblems(readReasonSources(), REASONS)).toEqual([]);
});
