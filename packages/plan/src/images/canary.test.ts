import { expect, test } from "vitest";
import { type CanaryFacts, decideCanary } from "./canary.ts";

const NODE = { isReady: true, machineID: "own", bootID: "b1", kubeletVersion: "v1.33.5", images: 4 };
const RUNNING = { state: "Succeeded", isRunning: true, error: "" };
const SOUND: CanaryFacts = {
  skippedBecause: undefined,
  verdict: undefined,
  version: "Succeeded",
  scaleSet: "Succeeded",
  instance: RUNNING,
  node: NODE,
  firstBootID: "b1",
  inspection: { isOver: true, error: "", flaws: "" },
  expected: { kubeletVersions: ["v1.33.5"], images: 3, machineIDs: new Set(["donor"]) },
  isOverdue: false,
};
const NONE = {
  scaleSet: undefined,
  instance: undefined,
  node: undefined,
  firstBootID: undefined,
  inspection: undefined,
};

test.each<[string, Partial<CanaryFacts>, string, RegExp]>([
  ["creates the scale set", NONE, "create", /complete/],
  [
    "is skipped when it is disabled",
    { ...NONE, skippedBecause: "the canary is disabled" },
    "Skipped",
    /disabled/,
  ],
  ["is skipped when it could not be created in time", { ...NONE, isOverdue: true }, "Skipped", /in time/],
  ["waits for the machine", { instance: undefined, node: undefined }, "wait", /Azure creates/],
  [
    "is skipped when Azure cannot create the machine",
    { scaleSet: "Failed", instance: undefined },
    "Skipped",
    /could not create/,
  ],
  [
    "is skipped when Azure cannot start the machine",
    { instance: { ...RUNNING, state: "Failed", isRunning: false, error: "AllocationFailed" } },
    "Skipped",
    /AllocationFailed/,
  ],
  [
    "is skipped when Azure is slow",
    { instance: undefined, isOverdue: true },
    "Skipped",
    /did not start it in time/,
  ],
  ["waits for the Node", { node: undefined }, "wait", /not joined yet/],
  ["fails without a Node", { node: undefined, isOverdue: true }, "Failed", /did not join in time/],
  ["notes the first boot", { firstBootID: undefined }, "observe", /has joined/],
  ["waits until the Node is Ready", { node: { ...NODE, isReady: false } }, "wait", /not Ready yet/],
  [
    "fails when the Node is not Ready",
    { node: { ...NODE, isReady: false }, isOverdue: true },
    "Failed",
    /not Ready in time/,
  ],
  [
    "fails with the machine id of the donor, Ready or not",
    { node: { ...NODE, isReady: false, machineID: "donor" } },
    "Failed",
    /machine id donor/,
  ],
  [
    "fails with another kubelet",
    { node: { ...NODE, kubeletVersion: "v1.32.0" } },
    "Failed",
    /v1\.32\.0, and new machines need v1\.33\.5/,
  ],
  [
    "takes the kubelet of its donor, whatever the spec says",
    { expected: { ...SOUND.expected, kubeletVersions: ["v1.34.1", "v1.33.5"] } },
    "Passed",
    /Ready/,
  ],
  [
    "takes any kubelet when no version is wanted",
    { expected: { ...SOUND.expected, kubeletVersions: [] } },
    "Passed",
    /Ready/,
  ],
  ["fails when it has restarted", { node: { ...NODE, bootID: "b2" } }, "Failed", /restarted/],
  [
    "fails without the images of its donor",
    { node: { ...NODE, images: 2 } },
    "Failed",
    /2 container images, and its donor had 3/,
  ],
  ["is inspected when it is Ready", { inspection: undefined }, "inspect", /Ready/],
  [
    "waits for the inspection",
    { inspection: { isOver: false, error: "", flaws: "" } },
    "wait",
    /run command/,
  ],
  [
    "fails with what the inspection finds",
    { inspection: { isOver: true, error: "", flaws: "a key comes from the image" } },
    "Failed",
    /^a key/,
  ],
  [
    "fails when it cannot be inspected",
    { inspection: { isOver: true, error: "Failed (exit code 1)", flaws: "" } },
    "Failed",
    /could not be inspected: Failed/,
  ],
  [
    "fails when the run command hangs",
    { inspection: { isOver: false, error: "", flaws: "" }, isOverdue: true },
    "Failed",
    /did not answer a run command/,
  ],
  ["passes", {}, "Passed", /identity of its own/],
  ["passes late", { isOverdue: true }, "Passed", /identity of its own/],
  ["fails when the version is gone", { version: undefined }, "Failed", /version is gone/],
  ["is deleted after its verdict", { verdict: { result: "Passed", why: "well" } }, "delete", /verdict: well/],
  ["is promoted when it is gone", { ...NONE, verdict: { result: "Passed", why: "well" } }, "promote", /well/],
  [
    "is promoted when it was skipped",
    { ...NONE, verdict: { result: "Skipped", why: "quota" } },
    "promote",
    /quota/,
  ],
  [
    "ends the renewal when it has failed",
    { ...NONE, verdict: { result: "Failed", why: "bad" } },
    "fail",
    /bad/,
  ],
])("a canary %s", (_, facts, expected, why) => {
  const step = decideCanary({ ...SOUND, ...facts });
  expect(step.do === "judge" ? step.verdict.result : step.do).toBe(expected);
  expect(step.why).toMatch(why);
});
