import {
  AzureMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  KubeadmConfig,
  MachinePool,
  Node,
  ownerReferenceTo,
  Secret,
} from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import {
  FRESH_BOOTSTRAP_ANSWER,
  FRESH_BOOTSTRAP_REQUEST,
} from "../../../packages/manager/src/bootstrap/fresh-bootstrap.ts";
import { kubeadmConfigReconciler } from "../../../packages/manager/src/reconcilers/kubeadmconfig/reconciler.ts";
import { type Client, createClient, transient } from "@capstan/runtime";
import {
  azureMachinePool,
  cluster,
  kubeadmConfig,
  machinePool,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import {
  createWorld,
  type ManagerConnections,
  type World,
  type WorldOptions,
  SIMULATED_AUTHORITY,
} from "@capstan/sim";

export const NAMESPACE = "default";
export const CLUSTER = "c1";
export const POOL = "pool";
export const CONFIG = { name: POOL, namespace: NAMESPACE };

/** The only controller of these worlds; the test does the work of the others. */
export const controllers: WorldOptions["controllers"] = (connections) => [
  kubeadmConfigReconciler({
    workloadClient: ({ metadata }) => Promise.resolve(workloadClient(connections, metadata.name)),
  }),
];

/** The reachability of control planes: no connection with `noWay`, no answer with `silent`. */
export interface Line {
  state: "up" | "noWay" | "silent";
}

/** The same controller, with a connection to control planes that the test can cut. */
export function controllersWith(line: Line): WorldOptions["controllers"] {
  return (connections) => [
    kubeadmConfigReconciler({
      workloadClient: ({ metadata: { name } }) =>
        line.state === "noWay"
          ? Promise.reject(transient("ConnectionRefused", `the kubeconfig ${CANARY} leads nowhere`))
          : Promise.resolve(workloadClient(connections, line.state === "up" ? name : "no-such-cluster")),
    }),
  ];
}

/** A text that no condition and no event may show. */
export const CANARY = "canary-7f3a";

function workloadClient(connections: ManagerConnections, name: string): Client {
  const transport = connections.connect(`https://clusters.invalid/${name}`);
  return createClient({
    transport,
    env: connections.env,
    fieldManager: "capstan",
    userAgent: "capstan/kubeadmconfig",
  });
}

/** A world in which a pool can be created; no manager runs yet. */
export function bootstrapWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  return createWorld({ seed: "1", controllers, ...options });
}

export interface PoolOptions {
  readonly name?: string;
  readonly cluster?: string;
  readonly config?: Overrides<KubeadmConfig["spec"]>;
  readonly pool?: Overrides<MachinePool>;
  readonly infrastructure?: Overrides<AzureMachinePool>;
}

/** Creates a Cluster whose infrastructure is ready, and its authority. */
export async function createCluster(
  world: World,
  name = CLUSTER,
  authority: string | undefined = SIMULATED_AUTHORITY,
): Promise<void> {
  const { user } = world;
  await world.run(
    user.create(Cluster, cluster({ metadata: { name }, spec: { infrastructureRef: undefined } })),
  );
  await setInfrastructureReady(world, name, true);
  if (authority === undefined) return;
  const data = { "tls.crt": Buffer.from(authority).toString("base64") };
  await world.run(user.create(Secret, { metadata: { name: `${name}-ca`, namespace: NAMESPACE }, data }));
}

/** Sets whether the infrastructure of a Cluster is ready. */
export async function setInfrastructureReady(
  world: World,
  name: string,
  infrastructureProvisioned: boolean,
): Promise<void> {
  const body = { status: { initialization: { infrastructureProvisioned } } };
  await world.run(
    world.user.patch(Cluster, { name, namespace: NAMESPACE }, { type: "merge", subresource: "status", body }),
  );
}

/** Creates a pool and its config, as the MachinePool controller leaves them. */
export async function createPool(world: World, options: PoolOptions = {}): Promise<void> {
  const { name = POOL, cluster: clusterName = CLUSTER } = options;
  const { user } = world;
  const reference = (kind: typeof KubeadmConfig | typeof AzureMachinePool) => ({
    apiGroup: kind.group,
    kind: kind.kind,
    name,
  });
  const pool = await world.run(
    user.create(
      MachinePool,
      machinePool(
        {
          metadata: { name },
          spec: {
            clusterName,
            template: {
              spec: {
                clusterName,
                bootstrap: { configRef: reference(KubeadmConfig) },
                infrastructureRef: reference(AzureMachinePool),
              },
            },
          },
        },
        options.pool ?? {},
      ),
    ),
  );
  await world.run(
    user.create(AzureMachinePool, azureMachinePool({ metadata: { name } }, options.infrastructure ?? {})),
  );
  const { apiVersion, kind, metadata } = pool;
  const owner = ownerReferenceTo({ apiVersion, kind, metadata });
  await world.run(
    user.create(
      KubeadmConfig,
      kubeadmConfig(
        { metadata: { name, labels: { [CLUSTER_NAME_LABEL]: clusterName }, ownerReferences: [owner] } },
        { spec: options.config ?? {} },
      ),
    ),
  );
}

/** Reads a config. */
export function configIn(world: World, name = POOL): Promise<Frozen<KubeadmConfig>> {
  return world.run(world.user.get(KubeadmConfig, { ...CONFIG, name }));
}

/** The cloud-config in the data Secret. */
export async function dataIn(world: World, name = POOL): Promise<string> {
  const secret = await world.run(world.user.get(Secret, { ...CONFIG, name }));
  return Buffer.from(secret.data?.["value"] ?? "", "base64").toString("utf8");
}

/** The token in the data. */
export function tokenIn(data: string): string {
  return /token: ([a-z0-9']+\.[a-z0-9']+)/.exec(data)?.[1]?.replaceAll("'", "") ?? "none";
}

/** The tokens in the workload cluster. */
export async function tokensIn(world: World, name = CLUSTER): Promise<readonly Frozen<Secret>[]> {
  const client = world.workload(name);
  if (!client) throw new Error(`there is no cluster ${name}`);
  const secrets = await world.run(client.list(Secret, { namespace: "kube-system" }));
  return secrets.filter(({ type }) => type === "bootstrap.kubernetes.io/token");
}

/** Requests fresh data. */
export async function ask(world: World, request: string, name = POOL): Promise<void> {
  const body = { metadata: { annotations: { [FRESH_BOOTSTRAP_REQUEST]: request } } };
  await world.run(world.user.patch(KubeadmConfig, { ...CONFIG, name }, { type: "merge", body }));
}

/** The last answered request. */
export async function answerIn(world: World): Promise<string | undefined> {
  return (await configIn(world)).metadata.annotations?.[FRESH_BOOTSTRAP_ANSWER];
}

/** The managers' writes, as "verb resource". */
export function writesOf(world: World): readonly string[] {
  return world.trace.events.flatMap(({ actor, happening }) =>
    happening.kind === "write" && actor.startsWith("manager") && happening.resource !== "events"
      ? [
          `${happening.verb} ${happening.resource}${happening.subresource ? `/${happening.subresource}` : ""} in ${happening.cluster}`,
        ]
      : [],
  );
}

const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/pools`;
const SUBNET = `${GROUP}/providers/Microsoft.Network/virtualNetworks/net/subnets/machines`;
const GALLERY = "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019";

/** Creates machines with the current data of a pool, in their own scale set and network. */
export async function boot(world: World, capacity: number): Promise<void> {
  const location = "westus2";
  const put = async (path: string, body: object): Promise<void> => {
    const { status } = await world.arm("PUT", `${path}?api-version=2024-07-01`, body);
    if (status >= 300) throw new Error(`PUT ${path}: ${status}`);
    await world.advance(60_000);
  };
  await put(GROUP, { location });
  await put(`${GROUP}/providers/Microsoft.Network/virtualNetworks/net`, {
    location,
    properties: {
      addressSpace: { addressPrefixes: ["10.0.0.0/8"] },
      subnets: [{ name: "machines", properties: { addressPrefix: "10.0.0.0/16" } }],
    },
  });
  const image = `${GALLERY}/Images/capi-ubun2-2404/Versions/1.34.1`;
  const ipConfigurations = [{ name: "ip", properties: { subnet: { id: SUBNET } } }];
  await put(`${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/${POOL}`, {
    location,
    sku: { name: "Standard_D2s_v3", capacity },
    properties: {
      overprovision: false,
      upgradePolicy: { mode: "Manual" },
      virtualMachineProfile: {
        osProfile: {
          computerNamePrefix: POOL,
          adminUsername: "capi",
          customData: Buffer.from(await dataIn(world)).toString("base64"),
        },
        storageProfile: { imageReference: { communityGalleryImageId: image } },
        networkProfile: {
          networkInterfaceConfigurations: [{ name: "nic", properties: { primary: true, ipConfigurations } }],
        },
      },
    },
  });
}

/** The Nodes of a cluster. */
export function nodesIn(world: World, name = CLUSTER): Promise<readonly Frozen<Node>[]> {
  const client = world.workload(name);
  return client ? world.run(client.list(Node)) : Promise.resolve([]);
}
