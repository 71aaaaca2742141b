import { AzureMachine, AzureMachineTemplate, type JsonObject, Machine, MachineSet } from "@capstan/api";
import { type Arm, AzureError, RegionSizes } from "@capstan/azure";
import { VirtualProcess, Scheduler } from "@capstan/env";
import { tagsOf } from "@capstan/plan";
import { transient } from "@capstan/runtime";
import { expect, test } from "vitest";
import { azureUpdater, type AzureUpdater } from "./azure-updater.ts";

const PROVIDER_ID =
  "azure:///subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm";
const REFERENCE = { apiGroup: AzureMachine.group, kind: AzureMachine.kind, name: "vm" };
const OWNER = {
  metadata: { name: "m", namespace: "default" },
  spec: { clusterName: "raft", infrastructureRef: REFERENCE },
};
const INFRA = {
  metadata: { name: "vm", namespace: "default" },
  spec: { vmSize: "Standard_D4s_v3", providerID: PROVIDER_ID },
};

interface Setting {
  readonly machine?: object | undefined;
  readonly infra?: object | undefined;
  readonly get?: () => Promise<object>;
  readonly armFor?: () => Promise<Arm>;
}

/** The updater with these objects in the management cluster, and these answers of Azure. */
function updaterWith({ get, armFor, ...objects }: Setting = {}): AzureUpdater {
  const { machine = OWNER, infra = INFRA } = objects;
  const found = {
    machine: "machine" in objects ? objects.machine : machine,
    infra: "infra" in objects ? objects.infra : infra,
  };
  const arm = { get: get ?? (() => Promise.reject(gone())) } as unknown as Arm;
  const { clock } = new VirtualProcess(new Scheduler({ seed: "1" }), "updater");
  return azureUpdater({
    client: {
      find: (kind) => Promise.resolve((kind.kind === Machine.kind ? found.machine : found.infra) as never),
      page: () => Promise.resolve({ items: [], resourceVersion: "1" }),
    },
    regionSizes: new RegionSizes(clock),
    armFor: armFor ?? (() => Promise.resolve(arm)),
  });
}

function gone(): AzureError {
  return new AzureError({ class: "Gone", code: "ResourceNotFound", message: "not found" });
}

const M = { machine: { name: "m", namespace: "default" } };

const FAILURES: Readonly<Record<string, readonly [Setting, string]>> = {
  "its Machine is gone": [{ machine: undefined }, "Machine default/m does not exist"],
  "its infrastructure is not of Azure": [
    { machine: { ...OWNER, spec: { infrastructureRef: { ...REFERENCE, kind: "VSphereMachine" } } } },
    "Machine m has the infrastructure VSphereMachine, which this updater does not change; it changes AzureMachines",
  ],
  "its AzureMachine is gone": [{ infra: undefined }, "AzureMachine default/vm does not exist"],
  "there is no provider id": [
    { infra: { ...INFRA, spec: { vmSize: "x" } } },
    'spec.providerID of AzureMachine vm does not name a virtual machine: ""',
  ],
  "the provider id is one of a scale set": [
    {
      infra: {
        ...INFRA,
        spec: {
          vmSize: "x",
          providerID: PROVIDER_ID.replace(
            "virtualMachines/vm",
            "virtualMachineScaleSets/s/virtualMachines/0",
          ),
        },
      },
    },
    "spec.providerID of AzureMachine vm does not name a virtual machine: ",
  ],
  "the virtual machine is gone": [{}, "/virtualMachines/vm does not exist in Azure"],
};

test.each(Object.entries(FAILURES))("an update fails when %s", async (_name, [setting, words]) => {
  expect(await updaterWith(setting).update(M)).toMatchObject({
    status: "Error",
    error: expect.stringContaining(words) as string,
  });
});

test.each([
  [
    "Azure throttles",
    {
      get: () =>
        Promise.reject(
          new AzureError({ class: "Throttled", code: "x", message: "slow down", retryAfterMs: 42_000 }),
        ),
    },
    "42s",
    "slow down",
  ],
  [
    "the cluster has no credential",
    { armFor: () => Promise.reject(transient("IdentityNotFound", "no identity")) },
    "60s",
    "no identity",
  ],
])("an update waits while %s", async (_name, setting, tryAgain, message) => {
  expect(await updaterWith(setting).update(M)).toEqual({ status: "InProgress", tryAgain, message });
});

test("a defect of ours is not an answer", async () => {
  await expect(updaterWith({ get: () => Promise.reject(new TypeError("bug")) }).update(M)).rejects.toThrow(
    "bug",
  );
});

function ask(changes: readonly string[], desired: unknown, kind: string = AzureMachine.kind) {
  const object = (spec?: unknown) => ({ apiVersion: "x/v1", kind, metadata: M.machine, spec });
  const machine = { apiVersion: "x/v1", kind: Machine.kind, metadata: M.machine };
  return updaterWith().canUpdate({
    changes,
    currentMachine: machine,
    currentInfraMachine: object(),
    desiredInfraMachine: object(desired),
  });
}

test("only sizes and tags of AzureMachines are judged, and tags are not removed", async () => {
  expect(await ask(["machine.spec.version", "infraMachine.spec.osDisk.diskSizeGB"], {})).toEqual({
    acceptedChanges: [],
  });
  expect(await ask(["infraMachine.spec.vmSize"], {}, "VSphereMachine")).toEqual({ acceptedChanges: [] });
  const [added, removed] = ["infraMachine.spec.additionalTags.a", "infraMachine.spec.additionalTags.b"];
  expect(await ask([added, removed], { additionalTags: { a: "1" } })).toEqual({
    acceptedChanges: [added],
    message: `${removed}: Azure does not say whose a tag is, so none is removed in place; give it another value`,
  });
  expect(await ask(["infraMachine.spec.additionalTags"], {})).toMatchObject({ acceptedChanges: [] });
});

test("a size is refused when it cannot be judged", async () => {
  const size = ["infraMachine.spec.vmSize"] as const;
  expect(await ask(size, { vmSize: 7 })).toMatchObject({
    acceptedChanges: [],
    message: expect.stringContaining("must be the name of a size") as string,
  });
  expect(await ask(size, { vmSize: "Standard_D4s_v3" })).toMatchObject({
    message: expect.stringContaining("does not exist in Azure") as string,
  });
});

/** A running machine of Standard_D2s_v3 in a region with one other size. */
function answersOfAzure(tags: Readonly<Record<string, string>> = {}): Pick<Arm, "get" | "list"> {
  const sku = (name: string): JsonObject => ({
    resourceType: "virtualMachines",
    name,
    locationInfo: [{ location: "westeurope", zones: [] }],
    capabilities: [{ name: "vCPUs", value: "4" }],
  });
  const body = {
    id: PROVIDER_ID.slice("azure://".length),
    name: "vm",
    location: "westeurope",
    tags: { ...tagsOf({ clusterName: "raft", clusterKey: "default/raft" }, "node"), ...tags },
    properties: { hardwareProfile: { vmSize: "Standard_D2s_v3" }, provisioningState: "Succeeded" },
  };
  const skus = [sku("Standard_D2s_v3"), sku("Standard_D4s_v3")];
  return {
    get: () => Promise.resolve({ body }),
    list: (path) => Promise.resolve({ items: path.endsWith("/skus") ? skus : [], pages: 1 }),
  };
}

test("a question about a set is answered by a machine of it that runs", async () => {
  const { clock } = new VirtualProcess(new Scheduler({ seed: "1" }), "updater");
  const selectors: (string | undefined)[] = [];
  const machines = [OWNER, { ...OWNER, spec: { ...OWNER.spec, providerID: PROVIDER_ID } }];
  const updater = azureUpdater({
    client: {
      find: (kind) => Promise.resolve((kind.kind === Machine.kind ? OWNER : INFRA) as never),
      page: (_, { labelSelector }) => {
        selectors.push(labelSelector);
        return Promise.resolve({ items: machines as never, resourceVersion: "1" });
      },
    },
    regionSizes: new RegionSizes(clock),
    armFor: () => Promise.resolve(answersOfAzure() as Arm),
  });
  const metadata = { name: "set", namespace: "default" };
  const template = { apiVersion: "x/v1", kind: AzureMachineTemplate.kind, metadata };
  expect(
    await updater.canUpdate({
      changes: ["infraMachine.spec.vmSize"],
      currentMachine: { apiVersion: "x/v1", kind: MachineSet.kind, metadata },
      currentInfraMachine: template,
      desiredInfraMachine: { ...template, spec: { vmSize: "Standard_D4s_v3" } },
    }),
  ).toEqual({ acceptedChanges: ["infraMachine.spec.vmSize"], needsDrain: true });
  expect(selectors).toEqual(["cluster.x-k8s.io/set-name=set"]);
});

test.each([
  ["another cluster", { "sigs.k8s.io_cluster-api-provider-azure_cluster_raft": "shared" }],
  ["a cluster of the same name in another namespace", { capstan_cluster: "team-b/raft" }],
])("a provider id that names a machine of %s changes nothing there", async (_whose, tags) => {
  const updater = updaterWith({ armFor: () => Promise.resolve(answersOfAzure(tags) as Arm) });
  expect(await updater.update(M)).toEqual({
    status: "Error",
    error: `virtual machine ${PROVIDER_ID.slice("azure://".length)} does not have the tags of Cluster default/raft; correct spec.providerID of the AzureMachine`,
  });
});

test("tags that say whose a machine is are not taken from a template", async () => {
  const patched: unknown[] = [];
  const additionalTags = { team: "blue", capstan_cluster: "team-b/raft", Name: "other" };
  const infra = { ...INFRA, spec: { ...INFRA.spec, vmSize: "Standard_D2s_v3", additionalTags } };
  const { get } = answersOfAzure();
  const running = async (path: string) => {
    const { body } = await get(path);
    const properties = body["properties"] as JsonObject;
    const instanceView = { statuses: [{ code: "PowerState/running" }] };
    return { body: { ...body, properties: { ...properties, instanceView } } };
  };
  const patch = (_: string, body: JsonObject) => {
    patched.push(body["tags"]);
    return Promise.resolve({ status: 200 });
  };
  const updater = updaterWith({
    infra,
    armFor: () => Promise.resolve({ get: running, patch } as unknown as Arm),
  });
  expect(await updater.update(M)).toMatchObject({ status: "InProgress" });
  expect(patched).toEqual([
    { ...tagsOf({ clusterName: "raft", clusterKey: "default/raft" }, "node"), team: "blue" },
  ]);
});
