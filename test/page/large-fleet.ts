/** A fleet as large as the page is made for, as stored objects without controllers. */
import {
  CLUSTER_NAME_LABEL,
  controllerReferenceTo,
  DEPLOYMENT_NAME_LABEL,
  formatTimestamp,
  type Frozen,
  type KubernetesObject,
} from "@capstan/api";
import { MACHINE_POOL_LABEL } from "@capstan/manager";
import type { Client } from "@capstan/runtime";
import {
  azureMachine,
  azureMachinePool,
  azureMachinePoolMachine,
  cluster,
  machine,
  machineDeployment,
  machinePool,
  machineSet,
} from "@capstan/runtime/testing/builders";
import { store } from "../../packages/cli/src/plan/management.fixture.ts";

export const CLUSTERS = 500;
/** Machines of the pool of one cluster. */
export const MACHINES = 10_000;
/** Machines of the MachineDeployment of another one; each has an AzureMachine, too. */
export const NODES = 500;
/** The names of these clusters, pools and MachineDeployments. */
export const POOL = "harbour";
export const FOREST = "forest";

const SCALE_SET =
  "azure:///subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/cluster/providers/Microsoft.Compute/virtualMachineScaleSets";

const ready = (nowMs: number) => ({
  type: "Ready",
  status: "True" as const,
  reason: "Ready",
  message: "",
  lastTransitionTime: formatTimestamp(nowMs),
});
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Stores all of it. */
export async function storeLargeFleet(client: Client, nowMs: number): Promise<void> {
  const objects = [
    ...numbers(CLUSTERS - 2).flatMap((index) => smallCluster(`quay-${index}`, index)),
    ...poolOf(POOL, MACHINES),
    ...numbers(MACHINES).map((index) => machineOfPool(index, nowMs)),
  ];
  for (const object of objects) await store(client, object);
  await storeForest(client, nowMs);
}

function smallCluster(name: string, index: number): readonly KubernetesObject[] {
  const isRolling = index % 5 === 0;
  const objects = poolOf(name, 3);
  const [, , pool] = objects;
  const counts = { replicas: 3, upToDateReplicas: isRolling ? 1 : 3, availableReplicas: 3, readyReplicas: 3 };
  return [...objects.slice(0, 2), { ...pool, status: counts } as KubernetesObject];
}

function poolOf(name: string, replicas: number): readonly KubernetesObject[] {
  const labels = { [CLUSTER_NAME_LABEL]: name };
  const infrastructureRef = { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "AzureMachinePool", name };
  return [
    cluster({ metadata: { name } }),
    azureMachinePool({
      metadata: { name, labels },
      spec: { strategy: { rollingUpdate: { maxSurge: 10, maxUnavailable: 10 } } },
      status: { modelHash: "v1-new", ready: true },
    }),
    machinePool({
      metadata: { name, labels },
      spec: {
        clusterName: name,
        replicas,
        template: { spec: { clusterName: name, infrastructureRef } },
      },
    }),
  ];
}

/** Half of the machines have the older model. */
function machineOfPool(index: number, nowMs: number): KubernetesObject {
  const name = `${POOL}-${index}`;
  return azureMachinePoolMachine({
    metadata: {
      name,
      labels: { [MACHINE_POOL_LABEL]: POOL, [CLUSTER_NAME_LABEL]: POOL },
    },
    spec: { providerID: `${SCALE_SET}/${POOL}/virtualMachines/${index}`, instanceID: String(index) },
    status: {
      ready: true,
      provisioningState: "Succeeded",
      modelHash: index < MACHINES / 2 ? "v1-old" : "v1-new",
      nodeRef: { kind: "Node", name: `node-${index}` },
      conditions: [ready(nowMs)],
    },
  });
}

/** A cluster whose tree has a thousand objects. */
async function storeForest(client: Client, nowMs: number): Promise<void> {
  const labels = { [CLUSTER_NAME_LABEL]: FOREST, [DEPLOYMENT_NAME_LABEL]: FOREST };
  const template = { spec: { clusterName: FOREST } };
  const spec = { clusterName: FOREST, replicas: NODES, template };
  await store(client, cluster({ metadata: { name: FOREST } }));
  const deployment = await store(client, machineDeployment({ metadata: { name: FOREST, labels }, spec }));
  const ownerReferences = [controllerReferenceTo(deployment)];
  const set = await store(client, machineSet({ metadata: { name: FOREST, labels, ownerReferences }, spec }));
  for (const index of numbers(NODES))
    for (const object of machineWithInfrastructure(`${FOREST}-${index}`, set, nowMs))
      await store(client, object);
}

function machineWithInfrastructure(
  name: string,
  set: Frozen<KubernetesObject>,
  nowMs: number,
): readonly KubernetesObject[] {
  const labels = { [CLUSTER_NAME_LABEL]: FOREST, [DEPLOYMENT_NAME_LABEL]: FOREST };
  return [
    machine({
      metadata: { name, labels, ownerReferences: [controllerReferenceTo(set)] },
      spec: { clusterName: FOREST, infrastructureRef: { name } },
      status: { nodeRef: { name }, conditions: [ready(nowMs)] },
    }),
    azureMachine({ metadata: { name, labels }, status: { ready: true } }),
  ];
}
