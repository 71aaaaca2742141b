import { EtcdClusters } from "../etcd/etcd-clusters.ts";
import { Node, Secret } from "@capstan/api";
import { type ApiServer, builtInKinds, createApiServer } from "@capstan/apiserver";
import { type Azure, createAzure, DEFAULT_SUBSCRIPTION, type Store } from "@capstan/azure-sim";
import {
  type Env,
  type Link,
  Scheduler,
  type SchedulerOptions,
  type Transport,
  VirtualProcess,
} from "@capstan/env";
import { type Client, createClient, Informer, silentLogger } from "@capstan/runtime";
import type { GuestSettings } from "./guest.ts";
import type { WorkloadCluster } from "./guest-clusters.ts";
import { type Guests, startGuests } from "./guests.ts";

const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/Story`;
const NETWORK = `${GROUP}/providers/Microsoft.Network/virtualNetworks/net`;
/** The scale set of the story. */
export const POOL = `${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
/** The virtual machine of the story. */
export const MACHINE = `${GROUP}/providers/Microsoft.Compute/virtualMachines/machine`;
const NIC = `${GROUP}/providers/Microsoft.Network/networkInterfaces/nic`;
/** The endpoint of the machines' cluster. */
export const ENDPOINT = "apiserver.example.com:6443";
const DOWN_MS = 3_000;
const BEFORE_GUESTS_MS = 20_000;
const TOKEN = { id: "abcdef", secret: "0123456789abcdef" };

/** A cloud, a cluster and guests on one virtual clock. */
export interface Story {
  readonly scheduler: Scheduler;
  /** The process of the cloud. */
  readonly cloud: VirtualProcess;
  readonly azure: Azure;
  readonly server: ApiServer;
  /** The user's client. */
  readonly client: Client;
  readonly env: Env;
  readonly guests: Guests;
  /** Sends a request to ARM and throws when it is refused. */
  readonly arm: (method: string, path: string, body?: unknown) => Promise<void>;
  /** Runs until the work is done. */
  readonly finish: <T>(work: Promise<T>) => Promise<T>;
}

/** The settings of guests, and their links to clusters. */
export interface StoryOptions {
  readonly link?: Link;
  readonly settings?: Partial<GuestSettings>;
  /** More clusters by endpoint; they may come and go. */
  readonly others?: ReadonlyMap<string, { readonly server: ApiServer; readonly caCertHash?: string }>;
  readonly onStep?: NonNullable<SchedulerOptions["onStep"]>;
  /** Stores the cloud. */
  readonly store?: Store;
}

/** Starts an empty cluster, and a cloud with a network. */
export async function startStory(seed: string, options: StoryOptions = {}): Promise<Story> {
  const { onStep, store } = options;
  const scheduler = new Scheduler({ seed, ...(onStep && { onStep }) });
  const cloud = new VirtualProcess(scheduler, "azure");
  const azure = createAzure({ env: cloud, seed, ...(store && { store }) });
  const server = createApiServer({ env: new VirtualProcess(scheduler, "apiserver"), kinds: builtInKinds });
  const user = new VirtualProcess(scheduler, "user");
  const client = createClient({ transport: user.connect(server.handle), env: user, fieldManager: "user" });
  const guests = startGuestsAgain({ scheduler, azure, server }, "guests", options);
  const finish = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const settled = work.finally(() => (isDone = true));
    await scheduler.run({ until: () => isDone });
    return settled;
  };
  const arm = armOf(azure, finish);
  await arm("PUT", GROUP, { location: "westus2" });
  const subnets = [{ name: "s", properties: { addressPrefix: "10.0.0.0/16" } }];
  const properties = { addressSpace: { addressPrefixes: ["10.0.0.0/16"] }, subnets };
  await arm("PUT", NETWORK, { location: "westus2", properties });
  await scheduler.advance(60_000);
  return { scheduler, cloud, azure, server, client, env: user, guests, arm, finish };
}

function armOf(azure: Azure, finish: Story["finish"]): Story["arm"] {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${azure.issueToken().token}` };
    const request = { method, path: `${path}?api-version=2024-07-01`, headers };
    const answer = await finish(azure.handle({ ...request, ...(body !== undefined && { body }) }));
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${await answer.text()}`);
  };
}

/** Kills the cloud and its guests, and starts both again from the store, the guests a while later, as `capstan up` does. */
export async function killAndStartAgain(story: Story, store: Store): Promise<Story> {
  const { scheduler, finish } = story;
  story.cloud.crash();
  story.guests.close();
  await scheduler.advance(DOWN_MS);
  const cloud = new VirtualProcess(scheduler, `azure-${scheduler.monotonicMs}`);
  const azure = createAzure({ env: cloud, store, isHeld: true });
  await scheduler.advance(BEFORE_GUESTS_MS);
  const guests = startGuestsAgain({ ...story, azure }, `guests-${scheduler.monotonicMs}`);
  azure.release();
  return { ...story, cloud, azure, guests, arm: armOf(azure, finish) };
}

/** Starts guests in a new process, in a world that may have had guests before. */
export function startGuestsAgain(
  { scheduler, azure, server }: Pick<Story, "scheduler" | "azure" | "server">,
  name: string,
  { link, settings = {}, others = new Map() }: StoryOptions = {},
): Guests {
  const env = new VirtualProcess(scheduler, name);
  const known = new Map<ApiServer, WorkloadCluster>();
  const clusterAt = (endpoint: string): WorkloadCluster | undefined => {
    const found = others.get(endpoint) ?? (endpoint === ENDPOINT ? { server } : undefined);
    if (!found) return undefined;
    const before = known.get(found.server);
    if (before) return before;
    // The watch for Nodes runs in a process of its own, so that tests can tell its requests from those of guests.
    const follower = new VirtualProcess(scheduler, `follower-${endpoint}-${name}`);
    const cluster: WorkloadCluster = {
      name: endpoint,
      transport: env.connect(found.server.handle, link),
      nodes: followNodes(follower, follower.connect(found.server.handle, link)),
      ...(found.caCertHash !== undefined && { caCertHash: found.caCertHash }),
    };
    known.set(found.server, cluster);
    return cluster;
  };
  const initialize = (): Promise<never> => Promise.reject(new Error("no machine runs kubeadm init here"));
  return startGuests({ env, azure, settings, clusterAt, etcd: new EtcdClusters(), initialize });
}

/** An informer of a cluster's Nodes that runs as long as its process. */
function followNodes(env: VirtualProcess, transport: Transport): Informer<Node> {
  const client = createClient({ transport, env, fieldManager: env.name });
  const onBug = (bug: unknown): void => void Promise.reject(bug);
  const nodes = new Informer<Node>({ client, env, kind: Node, scope: {}, log: silentLogger, onBug });
  void nodes.run(new AbortController().signal);
  return nodes;
}

/** A client of any cluster of the story. */
export function clientOf(
  { scheduler }: Pick<Story, "scheduler">,
  { handle }: ApiServer,
  name: string,
): Client {
  const env = new VirtualProcess(scheduler, name);
  return createClient({ transport: env.connect(handle), env, fieldManager: name });
}

/** Creates the bootstrap token in a cluster, valid for so long from now. */
export async function createToken(
  { client: own, scheduler, finish }: Story,
  forMs: number,
  client = own,
): Promise<void> {
  await finish(
    client.create(Secret, {
      metadata: { name: `bootstrap-token-${TOKEN.id}`, namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": TOKEN.id,
        "token-secret": TOKEN.secret,
        expiration: new Date(scheduler.wallMs + forMs).toISOString(),
        "usage-bootstrap-authentication": "true",
      },
    }),
  );
}

/** Custom data as Cluster API writes it. */
export const JOIN_DATA = `## template: jinja
#cloud-config
write_files:
- path: /run/kubeadm/kubeadm-join-config.yaml
  owner: root:root
  permissions: '0640'
  content: |
    ---
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: JoinConfiguration
    discovery:
      bootstrapToken:
        apiServerEndpoint: ${ENDPOINT}
        caCertHashes:
        - sha256:7c2e69131a36ae2a042a339b33381c6d0d43887e2de83720eff5359e26aec866
        token: ${TOKEN.id}.${TOKEN.secret}
    nodeRegistration:
      kubeletExtraArgs:
        cloud-provider: external
        node-labels: pool=blue
      name: '{{ ds.meta_data["local_hostname"] }}'
      taints:
      - effect: NoSchedule
        key: dedicated
        value: batch
runcmd:
- kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml && echo success > /run/done
`;

function profilesWith(customData: string, version: string) {
  const gallery = "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019";
  return {
    login: { adminUsername: "capi", customData: Buffer.from(customData).toString("base64") },
    imageReference: { communityGalleryImageId: `${gallery}/Images/capi-ubun2-2404/Versions/${version}` },
    ipConfigurations: [{ name: "ip", properties: { subnet: { id: `${NETWORK}/subnets/s` } } }],
  };
}

/** Creates the virtual machine. */
export async function putMachine(story: Story): Promise<void> {
  const { login, imageReference, ipConfigurations } = profilesWith(JOIN_DATA, "1.34.1");
  await story.arm("PUT", NIC, { location: "westus2", properties: { ipConfigurations } });
  await story.scheduler.advance(60_000);
  await story.arm("PUT", MACHINE, {
    location: "westus2",
    properties: {
      hardwareProfile: { vmSize: "Standard_D4s_v3" },
      osProfile: { computerName: "machine", ...login },
      storageProfile: { imageReference, osDisk: { name: "os", osType: "Linux", createOption: "FromImage" } },
      networkProfile: { networkInterfaces: [{ id: NIC, properties: { primary: true } }] },
    },
  });
}

/** Creates or resizes the scale set. */
export function putPool(
  story: Story,
  capacity: number,
  { customData = JOIN_DATA, version = "1.34.1", id = POOL } = {},
): Promise<void> {
  const { login, imageReference, ipConfigurations } = profilesWith(customData, version);
  return story.arm("PUT", id, {
    location: "westus2",
    zones: ["1", "2", "3"],
    sku: { name: "Standard_D4s_v3", capacity },
    properties: {
      overprovision: false,
      upgradePolicy: { mode: "Manual" },
      virtualMachineProfile: {
        osProfile: { computerNamePrefix: "pool", ...login },
        storageProfile: { imageReference },
        networkProfile: {
          networkInterfaceConfigurations: [{ name: "nic", properties: { primary: true, ipConfigurations } }],
        },
      },
    },
  });
}
