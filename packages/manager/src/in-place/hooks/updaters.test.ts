import { transient } from "@capstan/runtime";
import { expect, test } from "vitest";
import { DISCOVERY_API, UPDATER_API } from "./hook-api.ts";
import type { Updater } from "./registry.ts";
import { askUpdater } from "./updaters.ts";

const object = { apiVersion: "v1", kind: "Thing", metadata: { name: "m" } };
const objects = { machine: object, infraMachine: object, bootstrap: undefined };
const question = {
  request: {
    currentMachine: object,
    desiredMachine: object,
    currentInfraMachine: object,
    desiredInfraMachine: object,
    changes: ["machine.spec.version"],
  },
  objects: { current: objects, desired: objects },
  changesBetween: () => [],
};

/** Asks an updater whose failures to answer are ignored. */
async function ask(answer: () => Promise<unknown>, api: Updater["api"] = UPDATER_API): Promise<unknown> {
  const handler = { name: "can-update", timeoutMs: 1000, failurePolicy: "Ignore" } as const;
  const config = {
    apiVersion: "runtime.cluster.x-k8s.io/v1beta2",
    kind: "ExtensionConfig",
    metadata: { name: "u" },
    spec: { clientConfig: {} },
  };
  const handlers = { CanUpdateMachine: handler, UpdateMachine: handler };
  const updater: Updater = { name: "u", config, api, handlers };
  const namespaceLabels = () => Promise.resolve({});
  const ports = { hooks: { call: answer }, namespaceLabels, updateTimeoutMs: 1 };
  return (await askUpdater(ports, updater, question)).answer;
}

test("failurePolicy Ignore hides that an updater does not answer", async () => {
  const silent = (): Promise<unknown> =>
    Promise.reject(transient("HookTimeout", "did not answer within 1 s"));
  expect(await ask(silent)).toEqual({ ignored: "did not answer within 1 s" });
});

test("failurePolicy Ignore does not hide an error that the updater names", async () => {
  const answer = { error: "the machine is locked", acceptedChanges: [] };
  expect(await ask(() => Promise.resolve(answer))).toEqual({
    failed: 'answered with the error "the machine is locked"',
  });
});

test.each([true, false])(
  "affectsAvailability %j of an extension of Cluster API is in its answer",
  async (affectsAvailability) => {
    const answer = { status: "Success", affectsAvailability };
    expect(await ask(() => Promise.resolve(answer), DISCOVERY_API)).toMatchObject({ affectsAvailability });
  },
);

test("an affectsAvailability that is a text is not an answer", async () => {
  const answer = { status: "Success", affectsAvailability: "no" };
  expect(await ask(() => Promise.resolve(answer), DISCOVERY_API)).toEqual({
    ignored: 'affectsAvailability must be true or false, but is "no"',
  });
});
