import { describe, expect, test } from "vitest";
import {
  affectsAvailabilityIn,
  canUpdateBody,
  patchedObjects,
  progressIn,
  updateBody,
} from "./cluster-api.ts";

const metadata = { name: "m", namespace: "default", uid: "1-2-3", labels: { a: "b" }, ownerReferences: [] };
const objects = {
  machine: {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Machine",
    metadata,
    spec: { version: "v1.34.0" },
    status: { phase: "Running" },
  },
  infraMachine: {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachine",
    metadata,
    spec: { vmSize: "D2", dataDisks: [{ lun: 0 }] },
  },
  bootstrap: undefined,
};
const [machine, infrastructureMachine] = [objects.machine, objects.infraMachine].map(
  ({ apiVersion, kind, spec }) => ({
    apiVersion,
    kind,
    metadata: { name: "m", namespace: "default", labels: { a: "b" } },
    spec,
  }),
);

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
const answered = (patch: unknown): object => ({ status: "Success", infrastructureMachinePatch: patch });

test("requests have Cluster API's names, and nothing of an object that it leaves out", () => {
  const apiVersion = "hooks.runtime.cluster.x-k8s.io/v1alpha1";
  const side = { machine, infrastructureMachine };
  expect(canUpdateBody("CanUpdateMachine", { current: objects, desired: objects })).toEqual({
    apiVersion,
    kind: "CanUpdateMachineRequest",
    current: side,
    desired: side,
  });
  expect(updateBody(objects)).toEqual({ apiVersion, kind: "UpdateMachineRequest", desired: side });
});

describe("a patch", () => {
  const same = objects.infraMachine.spec;
  test.each<[string, unknown, object]>([
    [
      "of merge form",
      { patchType: "JSONMergePatch", patch: base64({ spec: { vmSize: "D4" } }) },
      { ...same, vmSize: "D4" },
    ],
    [
      "of operations",
      { patchType: "JSONPatch", patch: base64([{ op: "replace", path: "/spec/dataDisks/0/lun", value: 1 }]) },
      { ...same, dataDisks: [{ lun: 1 }] },
    ],
    [
      "outside the spec",
      { patchType: "JSONMergePatch", patch: base64({ metadata: { labels: null } }) },
      same,
    ],
    ["that is left out", undefined, same],
    ["that is null", null, same],
    ["without operations, as k0smotron answers", { patchType: "JSONPatch" }, same],
    ["of an empty list", { patchType: "JSONPatch", patch: base64([]) }, same],
    ["without anything", { patchType: "", patch: "" }, same],
  ])("%s is applied to a copy of the object", (_, patch, spec) => {
    const before = structuredClone(objects);
    const after = patchedObjects("CanUpdateMachine", answered(patch), objects);
    expect(after.infraMachine).toEqual({ ...objects.infraMachine, spec });
    expect(after.machine).toEqual(objects.machine);
    expect(objects).toEqual(before);
  });

  test.each<[unknown, string]>([
    [7, "infrastructureMachinePatch must be an object, but is 7"],
    [
      { patchType: "Strategic", patch: base64({}) },
      'patchType must be JSONPatch or JSONMergePatch, but is "Strategic"',
    ],
    [{ patchType: "JSONPatch", patch: base64({}) }, "patch must be a list of operations, but is {}"],
    [
      { patchType: "JSONPatch", patch: base64([{ op: "remove", path: "/spec/none" }]) },
      "cannot be applied: operation 0",
    ],
    [
      { patchType: "JSONPatch", patch: base64([{ op: "add", path: "/__proto__/x", value: 1 }]) },
      "cannot be applied",
    ],
    [{ patchType: "JSONMergePatch", patch: "%%%" }, "patch must be JSON in base64"],
    [
      { patchType: "JSONMergePatch", patch: { spec: {} } },
      'patch must be a text in base64, but is {"spec":{}}',
    ],
  ])("%j is refused with what is wrong", (patch, message) => {
    expect(() => patchedObjects("CanUpdateMachine", answered(patch), objects)).toThrow(message);
  });
});

test.each<[unknown, string]>([
  [undefined, "must answer with a JSON object, but answered missing"],
  [{}, "status must be Success or Failure, but is missing"],
  [{ status: "Done" }, 'status must be Success or Failure, but is "Done"'],
  [{ status: "Failure", message: "no quota\u001b[2J" }, "answered with a failure: no quota [2J"],
  [{ status: "Failure" }, "answered with a failure: it gave no reason"],
])("an answer %j to CanUpdateMachine or UpdateMachine is refused", (body, message) => {
  expect(() => patchedObjects("CanUpdateMachine", body, objects)).toThrow(message);
  expect(() => progressIn(body)).toThrow(message);
});

test.each<[unknown, boolean]>([
  [undefined, true],
  [null, true],
  [true, true],
  [false, false],
])("affectsAvailability %j of an answer means %j", (affectsAvailability, expected) => {
  expect(affectsAvailabilityIn({ status: "Success", affectsAvailability })).toBe(expected);
});

test.each([0, "false", {}, []])("affectsAvailability %j of an answer is refused", (affectsAvailability) => {
  expect(() => affectsAvailabilityIn({ status: "Success", affectsAvailability })).toThrow(
    `affectsAvailability must be true or false, but is ${JSON.stringify(affectsAvailability)}`,
  );
});

test.each<[object, object]>([
  [{ retryAfterSeconds: 0 }, { status: "Done" }],
  [
    { retryAfterSeconds: 15, message: "draining" },
    { status: "InProgress", waitMs: 15_000, message: "draining" },
  ],
  [{ retryAfterSeconds: 2_000_000_000 }, { status: "InProgress", waitMs: 3_600_000, message: "" }],
])("an update that answers %j is %j", (answer, expected) => {
  expect(progressIn({ status: "Success", ...answer })).toEqual(expected);
});

test.each([undefined, null, -1, 1.5, "0", []])(
  "an answer to UpdateMachine with retryAfterSeconds %j is refused",
  (value) => {
    expect(() => progressIn({ status: "Success", retryAfterSeconds: value })).toThrow(
      "retryAfterSeconds must be 0 or",
    );
  },
);
