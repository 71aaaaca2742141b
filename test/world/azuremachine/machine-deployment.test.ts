import {
  AzureMachine,
  AzureMachineTemplate,
  Event,
  getCondition,
  type Kind,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
  olderConditionsOf,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import {
  azureMachineTemplate,
  kubeadmConfigTemplate,
  machineDeployment,
} from "@capstan/runtime/testing/builders";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { createWorld, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import {
  createCluster,
  createIdentity,
  get,
  MINUTE_MS,
  NAMESPACE,
  patch,
  remove,
} from "../kit/fleet-world.ts";
import { CLUSTER, NEW_VERSION, nodesOf, OLD_VERSION } from "../kit/pool-world.ts";
import { azureMachineWorld } from "../kit/azuremachine-world.ts";
import { resourcesIn } from "./life.ts";

expect.extend(conditionMatchers);

const NAME = "workers";
// As CAPZ's templates have it: bootstrap data waits for the Secret of the AzureMachineTemplate.
const CLOUD_CONFIG = {
  path: "/etc/kubernetes/azure.json",
  owner: "root:root",
  permissions: "0644",
  contentFrom: { secret: { name: `${NAME}-azure-json`, key: "worker-node-azure.json" } },
};

async function createDeployment(world: World, replicas: number): Promise<void> {
  const { user } = world;
  const metadata = { name: NAME, namespace: NAMESPACE };
  const reference = (kind: Kind) => ({ apiGroup: kind.group, kind: kind.kind, name: NAME });
  const template = {
    spec: {
      clusterName: CLUSTER,
      version: OLD_VERSION,
      bootstrap: { configRef: reference(KubeadmConfigTemplate) },
      infrastructureRef: reference(AzureMachineTemplate),
    },
  };
  await world.run(user.create(AzureMachineTemplate, azureMachineTemplate({ metadata })));
  await world.run(
    user.create(
      KubeadmConfigTemplate,
      kubeadmConfigTemplate({ metadata, spec: { template: { spec: { files: [CLOUD_CONFIG] } } } }),
    ),
  );
  await world.run(
    user.create(
      MachineDeployment,
      machineDeployment({ metadata, spec: { clusterName: CLUSTER, replicas, template } }),
    ),
  );
}

async function versions(world: World): Promise<readonly string[]> {
  return (await nodesOf(world)).map(({ status }) => status?.nodeInfo?.kubeletVersion ?? "").sort();
}

/** The Cluster owns the template, whose status says what a machine has. */
async function expectTemplateOfCluster(world: World): Promise<void> {
  const { metadata, status } = await get(world, AzureMachineTemplate, NAME);
  expect(metadata.ownerReferences).toMatchObject([{ kind: "Cluster", name: CLUSTER }]);
  expect(status).toMatchObject({
    capacity: { cpu: "2", memory: "8Gi" },
    nodeInfo: { architecture: "amd64", operatingSystem: "linux" },
  });
}

test("a MachineDeployment on Azure comes up with CAPZ's azure.json, rolls to another version, and goes", async () => {
  const world = await createWorld({ seed: "1", controllers: simulatedControllers });
  world.start();
  await createIdentity(world);
  await createCluster(world, CLUSTER);
  await createDeployment(world, 3);
  await world.advance(60 * MINUTE_MS);
  expect((await get(world, MachineDeployment, NAME)).status).toMatchObject({ readyReplicas: 3 });
  expect(await versions(world)).toEqual([OLD_VERSION, OLD_VERSION, OLD_VERSION]);
  await expectTemplateOfCluster(world);
  const ids = new Set((await nodesOf(world)).map(({ spec }) => spec?.providerID));
  const machines = await world.run(world.user.list(AzureMachine, { namespace: NAMESPACE }));
  expect(new Set(machines.map(({ spec }) => spec.providerID))).toEqual(ids);
  await patch(world, MachineDeployment, NAME, { spec: { template: { spec: { version: NEW_VERSION } } } });
  await world.advance(120 * MINUTE_MS);
  expect(await versions(world)).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
  expect(resourcesIn(world).filter((one) => one.startsWith("virtualMachines/"))).toHaveLength(3);
  await remove(world, MachineDeployment, NAME);
  await world.advance(60 * MINUTE_MS);
  expect(await world.run(world.user.list(Machine, { namespace: NAMESPACE }))).toEqual([]);
  const compute = /^(virtualMachines|networkInterfaces|disks)\//;
  expect(resourcesIn(world).filter((one) => compute.test(one))).toEqual([]);
});

test("a machine that does not join says so after ten minutes, and so does its MachineDeployment", async () => {
  const guests = { boot: { p50: 2_400, p90: 2_401 } };
  const world = await azureMachineWorld({ controllers: simulatedControllers, guests });
  await createDeployment(world, 1);
  await world.advance(18 * MINUTE_MS);
  const [machine] = await world.run(world.user.list(Machine, { namespace: NAMESPACE }));
  expect(machine).toHaveCondition("Ready", "False", "NodeNotJoined");
  expect(machine?.status?.phase).toBe("Provisioned");
  const deployment = await get(world, MachineDeployment, NAME);
  expect(deployment).toHaveCondition("Ready", "False", "NodeNotJoined");
  const message = getCondition(olderConditionsOf(deployment), "Ready")?.message;
  expect(message).toMatch(/^MachinesReady: Machine workers-\S+: NodeHealthy: VM \S+ has run for 10 minutes/);
  const events = await world.run(world.user.list(Event, { namespace: NAMESPACE }));
  expect(events.filter(({ reason }) => reason === "NodeNotJoined")).toMatchObject([{ type: "Warning" }]);
  await world.advance(60 * MINUTE_MS);
  expect(await get(world, MachineDeployment, NAME)).toHaveCondition("Ready", "True");
});
