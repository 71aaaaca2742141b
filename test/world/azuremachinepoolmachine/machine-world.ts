import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  Event,
  type Frozen,
  isTrue,
  type JsonObject,
  MachinePool,
  Node,
  Pod,
  POOL_NAME_LABEL,
  Secret,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import { PodDisruptionBudget } from "@capstan/apiserver";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import type { Client, Reconciler } from "@capstan/runtime";
import { azureMachinePool, cluster, machinePool, type Overrides } from "@capstan/runtime/testing/builders";
import { createWorld, type ManagerConnections, type World, type WorldOptions } from "@capstan/sim";
import { parseInstance } from "../../../packages/azure/src/scale-set/instance.ts";
import { InstanceCache } from "../../../packages/azure/src/scale-set/instance-cache.ts";
import {
  MACHINE_FINALIZER,
  MACHINE_POOL_LABEL,
  MODEL_HASH_ANNOTATION,
} from "../../../packages/manager/src/pools/well-known.ts";
import { DRAINED } from "../../../packages/manager/src/pools/machine-conditions.ts";
import { poolReferenceTo } from "../../../packages/manager/src/pools/machines-of-pool.ts";
import { azureMachinePoolMachineReconciler } from "../../../packages/manager/src/reconcilers/azuremachinepoolmachine/reconciler.ts";
import { Deployment } from "../../../packages/sim/src/workloads/workload-kinds.ts";
import { workloadsOf } from "../kit/cluster-world.ts";

export const NAMESPACE = "default";
export const CLUSTER = "c1";
export const POOL = "pool";
export const MODEL = "v1-aa";

const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/pools`;
const NETWORK = `${GROUP}/providers/Microsoft.Network/virtualNetworks/net`;
export const SET = `${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/${POOL}`;
const GALLERY = "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019";
const TOKEN = { id: "abcdef", secret: "0123456789abcdef" };
const LIST_MS = 15_000;
const VERSION = "?api-version=2024-07-01";

/** A world with one controller, in which the test does to Azure what the pool controller does. */
export class MachineWorld {
  readonly world: World;
  /** The instance cache of the running manager; a new manager starts with an empty one. */
  instanceCache = new InstanceCache();

  constructor(world: World) {
    this.world = world;
  }

  get user(): Client {
    return this.world.user;
  }

  get workload(): Client {
    const client = this.world.workload(CLUSTER);
    if (!client) throw new Error("there is no workload cluster yet");
    return client;
  }

  /** Advances time while the test acts as the pool controller. */
  async live(forMs: number): Promise<void> {
    const untilMs = this.world.scheduler.monotonicMs + forMs;
    while (this.world.scheduler.monotonicMs < untilMs) {
      await this.tend();
      await this.world.advance(LIST_MS);
    }
  }

  /** Advances time until a condition holds; throws at the limit. */
  async until(holds: () => Promise<boolean>, withinMs: number): Promise<void> {
    const untilMs = this.world.scheduler.monotonicMs + withinMs;
    while (!(await holds())) {
      if (this.world.scheduler.monotonicMs > untilMs) throw new Error(`not so within ${withinMs} ms`);
      await this.live(LIST_MS);
    }
  }

  /** One pass of a pool: lists, creates machines for instances, deletes the drained ones. */
  async tend(): Promise<void> {
    const { world } = this;
    const atMs = world.scheduler.wallMs;
    const answer = await world.arm("GET", `${SET}/virtualMachines${VERSION}&$expand=instanceView`);
    if (answer.status !== 200) return;
    const { value } = (await answer.json()) as { value: readonly JsonObject[] };
    const instances = value.flatMap((raw) => parseInstance(raw) ?? []);
    this.instanceCache.record(SET, instances, atMs);
    const machines = await this.machines();
    for (const { instanceID, providerID, provisioningState } of instances) {
      const machine = machines.find(({ spec }) => spec.instanceID === instanceID);
      if (!machine) await this.create(instanceID, providerID);
      else if (isTrue(machine.status?.conditions, DRAINED) && provisioningState === "Succeeded")
        await this.act(machine, instanceID);
    }
  }

  async act({ metadata }: Frozen<AzureMachinePoolMachine>, instanceID: string): Promise<void> {
    const isUpdate = metadata.annotations?.[UPDATE_INSTANCE_ANNOTATION] !== undefined;
    const isLeaving = metadata.deletionTimestamp !== undefined;
    if (isLeaving) await this.post("delete", instanceID);
    else if (isUpdate && !this.updated.has(instanceID)) {
      this.updated.add(instanceID);
      await this.post("reimage", instanceID);
    }
  }

  readonly updated = new Set<string>();

  async post(action: string, instanceID: string): Promise<void> {
    const { status } = await this.world.arm("POST", `${SET}/${action}${VERSION}`, {
      instanceIds: [instanceID],
    });
    if (status >= 300) throw new Error(`POST ${action} ${instanceID}: ${status}`);
  }

  /** An operation on a VM from outside, such as powerOff. */
  async touch(instanceID: string, action: string): Promise<void> {
    const { status } = await this.world.arm(
      "POST",
      `${SET}/virtualMachines/${instanceID}/${action}${VERSION}`,
    );
    if (status >= 300) throw new Error(`POST ${action} ${instanceID}: ${status}`);
  }

  private async create(instanceID: string, providerID: string): Promise<void> {
    const pool = await this.world.run(this.user.get(AzureMachinePool, { name: POOL, namespace: NAMESPACE }));
    await this.world.run(
      this.user.create(AzureMachinePoolMachine, {
        metadata: {
          name: `${POOL}-${instanceID}`,
          namespace: NAMESPACE,
          finalizers: [MACHINE_FINALIZER],
          ownerReferences: [poolReferenceTo(pool)],
          labels: { [CLUSTER_NAME_LABEL]: CLUSTER, [POOL_NAME_LABEL]: POOL, [MACHINE_POOL_LABEL]: POOL },
          annotations: { [MODEL_HASH_ANNOTATION]: MODEL },
        },
        spec: { providerID, instanceID },
      }),
    );
  }

  machines(): Promise<readonly Frozen<AzureMachinePoolMachine>[]> {
    return this.world.run(this.user.list(AzureMachinePoolMachine));
  }

  async machine(instanceID: string): Promise<Frozen<AzureMachinePoolMachine>> {
    return this.world.run(this.user.get(AzureMachinePoolMachine, nameOf(instanceID)));
  }

  find(instanceID: string): Promise<Frozen<AzureMachinePoolMachine> | undefined> {
    return this.world.run(this.user.find(AzureMachinePoolMachine, nameOf(instanceID)));
  }

  async delete(instanceID: string): Promise<void> {
    await this.world.run(this.user.delete(AzureMachinePoolMachine, nameOf(instanceID)));
  }

  async annotate(instanceID: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const body = { metadata: { annotations } };
    await this.world.run(
      this.user.patch(AzureMachinePoolMachine, nameOf(instanceID), { type: "merge", body }),
    );
  }

  /** Updates a machine in place, as its pool does: the pick first, then the annotation of the machine. */
  async update(instanceID: string, hash: string): Promise<void> {
    const place = { name: POOL, namespace: NAMESPACE };
    const body = { status: { pickedForUpdate: [`${POOL}-${instanceID}`] } };
    await this.world.run(
      this.user.patch(AzureMachinePool, place, { type: "merge", subresource: "status", body }),
    );
    await this.annotate(instanceID, { [UPDATE_INSTANCE_ANNOTATION]: hash });
  }

  nodes(): Promise<readonly Frozen<Node>[]> {
    return this.world.run(this.workload.list(Node));
  }

  /** The Node of a machine, which must exist. */
  async node(instanceID: string): Promise<Frozen<Node>> {
    const { providerID } = (await this.machine(instanceID)).spec;
    const nodes = await this.nodes();
    const node = nodes.find(({ spec }) => spec?.providerID?.toLowerCase() === providerID.toLowerCase());
    if (!node) throw new Error(`instance ${instanceID} has no Node`);
    return node;
  }

  async podsOn(nodeName: string): Promise<readonly string[]> {
    const pods = await this.world.run(this.workload.list(Pod));
    return pods.filter(({ spec }) => spec?.nodeName === nodeName).map(({ metadata }) => metadata.name);
  }

  /** The reasons of the events about machines, in order, without duplicates. */
  async events(): Promise<readonly string[]> {
    const events = await this.world.run(this.user.list(Event));
    return [...new Set(events.map(({ reason }) => reason ?? ""))].sort();
  }

  /** Runs some pods, optionally with a budget. */
  async deploy(name: string, replicas: number, budget?: object): Promise<void> {
    const labels = { app: name };
    const metadata = { name, namespace: NAMESPACE };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } };
    await this.world.run(
      this.workload.create(Deployment, {
        metadata,
        spec: { replicas, selector: { matchLabels: labels }, template },
      }),
    );
    if (!budget) return;
    const spec = { ...budget, selector: { matchLabels: labels } };
    await this.world.run(this.workload.create(PodDisruptionBudget, { metadata, spec }));
  }

  /** The writes of the managers, by cluster and resource. */
  writes(): readonly string[] {
    return this.world.trace.events.flatMap(({ actor, happening }) =>
      happening.kind === "write" && actor.startsWith("manager") && happening.resource !== "events"
        ? [
            `${happening.verb} ${happening.resource}${happening.subresource ? `/${happening.subresource}` : ""}`,
          ]
        : [],
    );
  }
}

function nameOf(instanceID: string): { readonly name: string; readonly namespace: string } {
  return { name: `${POOL}-${instanceID}`, namespace: NAMESPACE };
}

export interface MachineWorldOptions {
  readonly capacity?: number;
  readonly pool?: Overrides<AzureMachinePool>;
  readonly machinePool?: Overrides<MachinePool>;
  readonly world?: Partial<WorldOptions>;
}

/** A cluster with a scale set whose machines have joined as Nodes. */
export async function machineWorld(options: MachineWorldOptions = {}): Promise<MachineWorld> {
  const { capacity = 2 } = options;
  let machines: MachineWorld | undefined;
  const controllers = (connections: ManagerConnections): readonly Reconciler[] => {
    const scaleSets = new InstanceCache();
    if (machines) machines.instanceCache = scaleSets;
    return [
      azureMachinePoolMachineReconciler({
        clock: connections.env.clock,
        workloads: workloadsOf(connections),
        scaleSets,
      }),
    ];
  };
  const world = await createWorld({ seed: "1", controllers, ...options.world });
  machines = new MachineWorld(world);
  await createCluster(world);
  await createPool(world, options);
  world.start();
  await world.advance(60_000);
  await createScaleSet(machines, capacity);
  await machines.until(
    async () => (await machines.machines()).filter(isReady).length === capacity,
    30 * 60_000,
  );
  return machines;
}

export function isReady({ status }: Frozen<AzureMachinePoolMachine>): boolean {
  return isTrue(status?.conditions, "Ready");
}

async function createCluster(world: World): Promise<void> {
  const { user } = world;
  const name = { name: CLUSTER, namespace: NAMESPACE };
  await world.run(
    user.create(Cluster, cluster({ metadata: { name: CLUSTER }, spec: { infrastructureRef: undefined } })),
  );
  const lastTransitionTime = new Date(world.scheduler.wallMs).toISOString();
  const conditions = [
    { type: "ControlPlaneInitialized", status: "True", reason: "Initialized", lastTransitionTime },
  ];
  const body = {
    status: {
      initialization: { infrastructureProvisioned: true },
      deprecated: { v1beta1: { conditions } },
    },
  };
  await world.run(user.patch(Cluster, name, { type: "merge", subresource: "status", body }));
}

async function createPool(world: World, options: MachineWorldOptions): Promise<void> {
  const { user } = world;
  const metadata = { name: POOL, labels: { [CLUSTER_NAME_LABEL]: CLUSTER } };
  const spec = { clusterName: CLUSTER, template: { spec: { clusterName: CLUSTER, version: "v1.34.1" } } };
  await world.run(user.create(MachinePool, machinePool({ metadata, spec }, options.machinePool ?? {})));
  const own = { metadata, spec: { providerID: `azure://${SET}` } };
  await world.run(user.create(AzureMachinePool, azureMachinePool(own, options.pool ?? {})));
}

async function createScaleSet(machines: MachineWorld, capacity: number): Promise<void> {
  const { world } = machines;
  const location = "westus2";
  const put = async (path: string, body: object): Promise<void> => {
    const { status } = await world.arm("PUT", `${path}${VERSION}`, body);
    if (status >= 300) throw new Error(`PUT ${path}: ${status}`);
    await world.advance(30_000);
  };
  await put(GROUP, { location });
  const subnets = [{ name: "machines", properties: { addressPrefix: "10.0.0.0/16" } }];
  await put(NETWORK, {
    location,
    properties: { addressSpace: { addressPrefixes: ["10.0.0.0/8"] }, subnets },
  });
  const customData = await joinData(machines);
  await put(SET, scaleSetBody(capacity, customData));
}

function scaleSetBody(capacity: number, customData: string): object {
  const image = `${GALLERY}/Images/capi-ubun2-2404/Versions/1.34.1`;
  const ipConfigurations = [{ name: "ip", properties: { subnet: { id: `${NETWORK}/subnets/machines` } } }];
  return {
    location: "westus2",
    sku: { name: "Standard_D2s_v3", capacity },
    properties: {
      overprovision: false,
      upgradePolicy: { mode: "Manual" },
      virtualMachineProfile: {
        osProfile: {
          computerNamePrefix: POOL,
          adminUsername: "capi",
          customData: Buffer.from(customData).toString("base64"),
        },
        storageProfile: { imageReference: { communityGalleryImageId: image } },
        networkProfile: {
          networkInterfaceConfigurations: [{ name: "nic", properties: { primary: true, ipConfigurations } }],
        },
      },
    },
  };
}

async function joinData({ world, workload }: MachineWorld): Promise<string> {
  const { spec } = await world.run(world.user.get(Cluster, { name: CLUSTER, namespace: NAMESPACE }));
  const { host = "", port = 0 } = spec?.controlPlaneEndpoint ?? {};
  await world.run(
    workload.create(Secret, {
      metadata: { name: `bootstrap-token-${TOKEN.id}`, namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": TOKEN.id,
        "token-secret": TOKEN.secret,
        expiration: new Date(world.scheduler.wallMs + 7 * 24 * 3_600_000).toISOString(),
        "usage-bootstrap-authentication": "true",
      },
    }),
  );
  const command = `kubeadm join ${host}:${port} --token ${TOKEN.id}.${TOKEN.secret} --discovery-token-unsafe-skip-ca-verification`;
  return `#cloud-config\nruncmd:\n- ${command}\n`;
}
