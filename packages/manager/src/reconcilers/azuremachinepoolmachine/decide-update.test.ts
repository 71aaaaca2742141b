import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  type Node,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import { azureMachinePool, type Overrides } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { DRAINED } from "../../pools/machine-conditions.ts";
import { decideUpdate, returnOf, type ReturnView } from "./decide-update.ts";
import { instanceOf, machineOf, nodeOf } from "../../pools/machine.fixture.ts";

const UPDATE = {
  startedAt: "2026-01-01T00:00:00Z",
  modelHash: "v1-bb",
  nodeName: "pool000000",
  nodeUID: "old-uid",
  bootID: "old-boot",
};
const asks = (hash: string) => ({ metadata: { annotations: { [UPDATE_INSTANCE_ANNOTATION]: hash } } });
const drained = (status: "True" | "False") => ({
  conditions: [{ type: DRAINED, status, reason: "x", lastTransitionTime: UPDATE.startedAt }],
});

const POOL = azureMachinePool({ status: { pickedForUpdate: [machineOf().metadata.name] } });

test("an update that the pool has not picked waits for the pick", () => {
  expect(decideUpdate(machineOf(asks("v1-bb")), azureMachinePool())).toBe("awaitPick");
  expect(decideUpdate(machineOf(asks("v1-bb")), undefined)).toBe("awaitPick");
});

test.each<[string, Overrides<AzureMachinePoolMachine>[], string]>([
  ["no update is requested", [], "standDown"],
  ["the annotation is gone", [{ status: drained("False") }], "standDown"],
  ["the annotation is not a model hash", [asks("soon")], "standDown"],
  ["the machine has the requested model", [asks("v1-bb"), { status: { modelHash: "v1-bb" } }], "standDown"],
  ["another model is requested", [asks("v1-bb"), { status: { modelHash: "v1-aa" } }], "drain"],
  ["a model is requested and its own is unknown", [asks("v1-bb")], "drain"],
  ["the Node is recorded", [asks("v1-bb"), { status: { instanceUpdate: UPDATE } }], "handOver"],
  [
    "it has been drained",
    [asks("v1-bb"), { status: { instanceUpdate: UPDATE, ...drained("True") } }],
    "awaitReturn",
  ],
  [
    "it has been drained and the annotation is gone",
    [{ status: { instanceUpdate: UPDATE, ...drained("True") } }],
    "awaitReturn",
  ],
])("when %s the next step is to %s", (_, overrides, step) => {
  expect(decideUpdate(machineOf(...overrides), POOL)).toBe(step);
});

describe("an updated instance", () => {
  const joinedMs = Date.parse(nodeOf().metadata.creationTimestamp ?? "");
  const view = (parts: Partial<ReturnView> = {}): ReturnView => ({
    update: UPDATE,
    instance: instanceOf(),
    listedAtMs: joinedMs + 10_000,
    observed: { state: "found", node: nodeOf() },
    pool: azureMachinePool({ status: { version: "1.34.1" } }),
    ...parts,
  });
  const node = (overrides: Overrides<Node>): Partial<ReturnView> => ({
    observed: { state: "found", node: nodeOf(overrides) },
  });
  const pool = (status: Overrides<NonNullable<AzureMachinePool["status"]>>): Partial<ReturnView> => ({
    pool: azureMachinePool({ status }),
  });
  const operation = (startedAt: string, instanceIDs: string[]) =>
    pool({ instanceOperations: [{ verb: "POST", resourceID: "/x", startedAt, instanceIDs }] } as never);

  test.each<[string, Partial<ReturnView>]>([
    ["a new boot, the desired version and model", {}],
    ["no known version", { pool: undefined }],
    ["an operation on it before it joined", operation("2026-01-01T00:04:00Z", ["0"])],
    ["an operation on another instance", operation("2026-01-01T00:06:00Z", ["1"])],
    ["no Node before", { update: { ...UPDATE, nodeName: "", nodeUID: "", bootID: "" } }],
  ])("is back with %s", (_, parts) => {
    expect(returnOf(view(parts))).toMatchObject({ isUpdated: true, node: { metadata: { uid: "new-uid" } } });
  });

  describe("that takes pods again without its update", () => {
    const LATER = { listedAtMs: joinedMs + 61_000 };
    const outdated = { instance: instanceOf({ latestModelApplied: false }) };
    const cases: [string, Partial<ReturnView>][] = [
      ["because another operation has booted it", outdated],
      ["because another model is desired now", { ...outdated, ...pool({ modelHash: "v1-cc" }) }],
      ["and whose disk is not replaced yet", pool({ instancesToReimage: ["0"] })],
      ["because its kubelet restarted", node({ status: { nodeInfo: { bootID: "old-boot" } } })],
    ];
    test.each(cases)("%s is drained again, once that is certain", (_, parts) => {
      expect(returnOf(view({ ...parts, ...LATER }))).toMatchObject({
        isUpdated: false,
        node: { metadata: { uid: "new-uid" } },
      });
      expect(returnOf(view({ ...parts, listedAtMs: joinedMs + 59_000 }))).toBeUndefined();
    });

    test("is not back while an operation on it runs", () => {
      const other = operation("2026-01-01T00:04:00Z", ["1"]);
      expect(returnOf(view({ ...outdated, ...LATER, ...other }))?.isUpdated).toBe(false);
      const own = operation("2026-01-01T00:04:00Z", ["0"]);
      expect(returnOf(view({ ...outdated, ...LATER, ...own }))).toBeUndefined();
    });

    test("is found without Azure's clock", () => {
      const instance = { ...instanceOf({ latestModelApplied: false }), provisionedAtMs: 0 };
      expect(returnOf(view({ ...LATER, instance }))?.isUpdated).toBe(false);
    });
  });

  test.each<[string, Partial<ReturnView>]>([
    ["Azure still updates it", { instance: instanceOf({ provisioningState: "Updating" }) }],
    ["it failed", { instance: instanceOf({ provisioningState: "Failed" }) }],
    ["it has the old model", { instance: instanceOf({ latestModelApplied: false }) }],
    ["Azure does not report its model", { instance: instanceOf({ latestModelApplied: undefined }) }],
    ["it has no Node", { observed: { state: "none" } }],
    ["its Node is the old one", node({ metadata: { uid: "old-uid" } })],
    ["its boot is the old one", node({ status: { nodeInfo: { bootID: "old-boot" } } })],
    ["its kubelet is of another version", node({ status: { nodeInfo: { kubeletVersion: "v1.33.0" } } })],
    ["its Node is not Ready", node({ status: { conditions: [{ type: "Ready", status: "False" }] } })],
    ["its disk is not replaced yet", pool({ instancesToReimage: ["0"] })],
    ["it joined before the running operation on it", operation("2026-01-01T00:06:00Z", ["0"])],
  ])("is not back while %s", (_, parts) => {
    expect(returnOf(view(parts))).toBeUndefined();
  });
});
