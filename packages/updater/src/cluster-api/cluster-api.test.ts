import { describe, expect, test } from "vitest";
import { defineUpdater, type Updater } from "../define-updater.ts";
import { done, failed, inProgress, isBelow, type CanUpdateRequest } from "../messages.ts";

const API = "/hooks.runtime.cluster.x-k8s.io/v1alpha1";

/** Remembers its questions; changes sizes and versions. */
function upgrader(): { readonly updater: Updater; readonly asked: CanUpdateRequest[] } {
  const asked: CanUpdateRequest[] = [];
  let calls = 0;
  const updater = defineUpdater({
    name: "upgrader",
    timeoutSeconds: 20,
    canUpdate: (request) => {
      asked.push(request);
      return request.changes.filter((path) =>
        isBelow(path, "machine.spec.version", "infraMachine.spec.vmSize", "bootstrap.spec.files"),
      );
    },
    update: ({ machine }) => {
      if (machine.name === "broken") return failed("no such size");
      return ++calls < 2 ? inProgress(15, "draining") : done();
    },
  });
  return { updater, asked };
}

async function post(updater: Updater, path: string, body: unknown, agent = "Go-http-client/2.0") {
  const headers = { "user-agent": agent };
  // Cluster API's controllers send no content type, so the body comes as text.
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await updater.handle({
    method: "POST",
    path: `${API}${path}?timeout=10s`,
    headers,
    body: text,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The patches of an answer, from their base64. */
function patchesIn(answer: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(answer).flatMap(([name, value]) => {
      if (!name.endsWith("Patch")) return [];
      const { patchType, patch } = value as { readonly patchType: string; readonly patch: string };
      return [[name, { patchType, ...(JSON.parse(Buffer.from(patch, "base64").toString()) as object) }]];
    }),
  );
}

const machine = (spec: object) => ({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Machine",
  metadata: { name: "m", namespace: "default" },
  spec: { clusterName: "jetty", version: "v1.34.0", ...spec },
});
const infrastructure = (spec: object) => ({
  apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
  kind: "AzureMachine",
  metadata: { name: "m", namespace: "default" },
  spec,
});
const bootstrap = (spec: object) => ({
  apiVersion: "bootstrap.cluster.x-k8s.io/v1beta2",
  kind: "KubeadmConfig",
  metadata: { name: "m", namespace: "default" },
  spec,
});
const template = (object: { readonly kind: string; readonly spec: object }) => ({
  ...object,
  kind: `${object.kind}Template`,
  spec: { template: { spec: object.spec } },
});

describe("the discovery", () => {
  test("of Cluster API's controllers has their hooks only: they refuse an answer with others", async () => {
    const { body } = await post(upgrader().updater, "/discovery", { kind: "DiscoveryRequest" });
    const requestHook = (hook: string) => ({ apiVersion: "hooks.runtime.cluster.x-k8s.io/v1alpha1", hook });
    const rest = { timeoutSeconds: 20, failurePolicy: "Fail" };
    expect(body).toEqual({
      apiVersion: "hooks.runtime.cluster.x-k8s.io/v1alpha1",
      kind: "DiscoveryResponse",
      status: "Success",
      message: "",
      handlers: [
        { name: "can-update", requestHook: requestHook("CanUpdateMachine"), ...rest },
        { name: "can-update-set", requestHook: requestHook("CanUpdateMachineSet"), ...rest },
        { name: "update", requestHook: requestHook("UpdateMachine"), ...rest },
      ],
    });
  });

  test("of Capstan has the hooks of the proposal", async () => {
    const { body } = await post(upgrader().updater, "/discovery", {}, "capstan");
    expect(body["handlers"]).toMatchObject([
      { requestHook: { apiVersion: "updaters.capstan.dev/v1alpha1", hook: "CanUpdateMachine" } },
      { requestHook: { apiVersion: "updaters.capstan.dev/v1alpha1", hook: "UpdateMachine" } },
    ]);
  });
});

describe("CanUpdateMachine", () => {
  const ask = async (current: object, desired: object) => {
    const { updater, asked } = upgrader();
    const { body } = await post(updater, "/canupdatemachine/can-update", { current, desired });
    expect(body).toMatchObject({ kind: "CanUpdateMachineResponse", status: "Success" });
    return { patches: patchesIn(body), asked };
  };

  test("gets a patch for each object with an accepted change, and none for what the updater cannot make", async () => {
    const { patches, asked } = await ask(
      {
        machine: machine({}),
        infrastructureMachine: infrastructure({ vmSize: "D2", osDisk: { sizeGB: 30 } }),
        bootstrapConfig: bootstrap({ files: [{ path: "/a" }], ntp: {} }),
      },
      {
        machine: machine({ version: "v1.34.1" }),
        infrastructureMachine: infrastructure({ vmSize: "D4", osDisk: { sizeGB: 60 } }),
        bootstrapConfig: bootstrap({ files: [{ path: "/b" }] }),
      },
    );
    expect(asked[0]?.changes).toEqual([
      "machine.spec.version",
      "infraMachine.spec.osDisk.sizeGB",
      "infraMachine.spec.vmSize",
      "bootstrap.spec.files",
    ]);
    const patchType = "JSONMergePatch";
    expect(patches).toEqual({
      machinePatch: { patchType, spec: { version: "v1.34.1" } },
      infrastructureMachinePatch: { patchType, spec: { vmSize: "D4" } },
      // An empty object is no change to an updater, but it must be equal for Cluster API.
      bootstrapConfigPatch: { patchType, spec: { files: [{ path: "/b" }], ntp: null } },
    });
  });

  test("does not compare what is not about the machine as it runs", async () => {
    const side = (field: string) => ({
      machine: machine({
        bootstrap: { dataSecretName: field },
        minReadySeconds: field.length,
        taints: [field],
      }),
      infrastructureMachine: infrastructure({}),
    });
    const { patches, asked } = await ask(side("a"), side("bc"));
    expect([patches, asked]).toEqual([{}, []]);
  });

  test.each<[string, object, object, object | undefined]>([
    ["a field that goes", { vmSize: "D2" }, {}, { vmSize: null }],
    ["a field that comes", {}, { vmSize: { name: "D4" } }, { vmSize: { name: "D4" } }],
    [
      "a text that becomes an object",
      { vmSize: "D2" },
      { vmSize: { name: "D4" } },
      { vmSize: { name: "D4" } },
    ],
    [
      "an object of which a part is refused",
      { vmSize: "D2", a: { b: 1 } },
      { vmSize: "D4" },
      { vmSize: "D4" },
    ],
    ["only refused changes", { a: { b: 1 } }, { a: { b: 2, c: 3 } }, undefined],
  ])("is answered about %s", async (_, before, after, expected) => {
    const { patches } = await ask(
      { machine: machine({}), infrastructureMachine: infrastructure(before) },
      { machine: machine({}), infrastructureMachine: infrastructure(after) },
    );
    const patch = expected && { patchType: "JSONMergePatch", spec: expected };
    expect(patches).toEqual(patch === undefined ? {} : { infrastructureMachinePatch: patch });
  });
});

test("CanUpdateMachineSet gets patches of whole templates, and the updater sees machines", async () => {
  const { updater, asked } = upgrader();
  const side = (version: string, vmSize: string) => ({
    machineSet: {
      ...machine({}),
      kind: "MachineSet",
      spec: { replicas: 3, template: { spec: { version } } },
    },
    infrastructureMachineTemplate: template(infrastructure({ vmSize })),
    bootstrapConfigTemplate: template(bootstrap({})),
  });
  const { body } = await post(updater, "/canupdatemachineset/can-update-set", {
    settings: { channel: "stable" },
    current: side("v1.34.0", "D2"),
    desired: side("v1.34.1", "D4"),
  });
  const patchType = "JSONMergePatch";
  expect(patchesIn(body)).toEqual({
    machineSetPatch: { patchType, spec: { template: { spec: { version: "v1.34.1" } } } },
    infrastructureMachineTemplatePatch: { patchType, spec: { template: { spec: { vmSize: "D4" } } } },
  });
  expect(asked[0]).toMatchObject({
    changes: ["machine.spec.version", "infraMachine.spec.vmSize"],
    desiredMachine: { spec: { version: "v1.34.1" } },
    desiredInfraMachine: { spec: { vmSize: "D4" } },
    settings: { channel: "stable" },
  });
});

test.each([true, false, undefined])(
  "affectsAvailability %j of an updater is in the answer to Cluster API's controllers as it is",
  async (affectsAvailability) => {
    const updater = defineUpdater({
      name: "hot-plug",
      canUpdate: ({ changes }) => ({
        acceptedChanges: changes,
        ...(affectsAvailability !== undefined && { affectsAvailability }),
      }),
      update: done,
    });
    const side = (version: string) => ({
      machine: machine({ version }),
      infrastructureMachine: infrastructure({}),
    });
    const { body } = await post(updater, "/canupdatemachine/can-update", {
      current: side("v1.34.0"),
      desired: side("v1.34.1"),
    });
    expect(body["affectsAvailability"]).toBe(affectsAvailability);
  },
);

test("UpdateMachine says when to call again, that it is done, and why it failed", async () => {
  const { updater } = upgrader();
  const call = async (name: string) => {
    const desired = { machine: { ...machine({}), metadata: { name, namespace: "default" } } };
    return (await post(updater, "/updatemachine/update", { desired })).body;
  };
  expect(await call("m")).toMatchObject({ status: "Success", message: "draining", retryAfterSeconds: 15 });
  expect(await call("m")).toMatchObject({ status: "Success", retryAfterSeconds: 0 });
  expect(await call("broken")).toMatchObject({ status: "Failure", message: "no such size" });
});

test.each<[string, unknown, RegExp]>([
  ["/canupdatemachine/can-update", {}, /the body: current must be an object/],
  ["/canupdatemachine/can-update", { current: { machine: 1 } }, /current: machine must be an object/],
  [
    "/canupdatemachineset/can-update-set",
    { current: { machineSet: { spec: {} } } },
    /machineSet: template must be/,
  ],
  ["/updatemachine/update", { desired: { machine: {} } }, /machine must have a name and a namespace/],
  ["/updatemachine/update", "[", /the body must be JSON/],
  ["/updatemachine/update", "[]", /the body must be a JSON object/],
])("POST %s with %j is refused with what is wrong", async (path, body, message) => {
  const answer = await post(upgrader().updater, path, body);
  expect([answer.status, answer.body["message"]]).toEqual([400, expect.stringMatching(message)]);
});
