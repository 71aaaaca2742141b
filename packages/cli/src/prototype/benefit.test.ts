import type { AzureMachinePool, AzureMachinePoolMachine, Frozen, Pod } from "@capstan/api";
import { expect, test } from "vitest";
import { benefitText, poolMachinesByImage, machinesToMeasure } from "./benefit.ts";

const POOL = {
  metadata: { name: "mp" },
  spec: { template: { image: { computeGallery: { version: "1.33.5" } } } },
  status: { nodePrototyping: { phase: "Idle", donor: { machine: "mp-0" } } },
} as unknown as Frozen<AzureMachinePool>;

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** A machine that was created at a second and whose Node was Ready at another. */
function machine(name: string, version: string, [created, joined]: readonly [number, number]) {
  return {
    metadata: {
      name,
      creationTimestamp: at(created),
      annotations: { "capstan.dev/image-version": version },
    },
    status: {
      nodeRef: { name: `node-${name}` },
      conditions: [{ type: "BootstrapSucceeded", status: "True", lastTransitionTime: at(joined) }],
    },
  } as unknown as Frozen<AzureMachinePoolMachine>;
}

function pod(start: number, ready: number, status = "True"): Frozen<Pod> {
  const conditions = [{ type: "Ready", status, lastTransitionTime: at(ready) }];
  return { status: { startTime: at(start), conditions } } as unknown as Frozen<Pod>;
}

const MACHINES = [
  machine("mp-0", "1.33.5", [0, 100]),
  machine("mp-1", "1.33.5", [0, 110]),
  machine("mp-2", "1.33.5", [0, 130]),
  // The history has forgotten this version.
  machine("mp-3", "20261118.502.1", [10_000, 10_060]),
];

function measured(machines: readonly Frozen<AzureMachinePoolMachine>[]) {
  const { own, base } = poolMachinesByImage(POOL, machines);
  return [...own, ...base];
}

test("machines from images of the pool are beside those from the image in the spec, with their first pods", () => {
  const byImage = poolMachinesByImage(POOL, MACHINES);
  const pods = new Map([
    ["node-mp-1", [pod(120, 160), pod(121, 165), pod(9000, 9001)]],
    ["node-mp-2", [pod(140, 190), pod(140, 150, "False")]],
    ["node-mp-3", [pod(10_061, 10_066)]],
  ]);
  expect(
    benefitText(byImage, pods)
      .split("\n")
      .map((line) => line.trimEnd()),
  ).toEqual([
    "MACHINES FROM            COUNT   NODE READY AFTER   FIRST PODS READY AFTER",
    "version 20261118.502.1   1       60 s               5 s",
    "the image in the spec    3       110 s              44 s",
    "",
    "no comparison: it takes 3 machines from images of a node (1 are known) and 3 from the image in the spec (3)",
    "",
  ]);
  expect(benefitText(byImage, new Map())).toMatch(
    /^MACHINES FROM +COUNT +NODE READY AFTER\nversion 20261118.502.1 +1 +60 s\n/,
  );
});

test("the pods of the newest machines are measured, without those of a donor, which were started again", () => {
  expect(machinesToMeasure(POOL, measured(MACHINES)).map(({ name }) => name)).toEqual([
    "mp-3",
    "mp-1",
    "mp-2",
  ]);
  const many = Array.from({ length: 30 }, (_, index) => machine(`m-${index}`, "1", [index, index + 1]));
  expect(machinesToMeasure(POOL, measured(many)).map(({ name }) => name)).toEqual(
    Array.from({ length: 10 }, (_, index) => `m-${29 - index}`),
  );
});

test("with three machines of each, the status says how much sooner their Nodes are Ready, by version", () => {
  const more = [
    machine("mp-4", "20261119.10.1", [20_000, 20_055]),
    machine("mp-5", "20261119.1000.1", [30_000, 30_050]),
  ];
  const lines = benefitText(poolMachinesByImage(POOL, [...MACHINES, ...more]), new Map()).split("\n");
  expect(lines.slice(1, 5).map((line) => line.split("  ")[0])).toEqual([
    "version 20261119.1000.1",
    "version 20261119.10.1",
    "version 20261118.502.1",
    "the image in the spec",
  ]);
  expect(lines).toContain(
    "machines from images of a node have a Ready Node 50 % sooner: after 55 s, and 110 s from the image in the spec",
  );
});
