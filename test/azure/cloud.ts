import { ComputeManagementClient, type VirtualMachineScaleSet } from "@azure/arm-compute";
import { ContainerServiceClient } from "@azure/arm-containerservice";
import { NetworkManagementClient } from "@azure/arm-network";
import { ResourceManagementClient } from "@azure/arm-resources";
import { createHttpHeaders, type HttpClient } from "@azure/core-rest-pipeline";
import {
  type Azure,
  type AzureOptions,
  createAzure,
  DEFAULT_SUBSCRIPTION,
  type Principal,
} from "@capstan/azure-sim";
import { AdjustableClock, Scheduler, VirtualProcess } from "@capstan/env";

/** The resource group of the tests, and the names of their resources. */
export const GROUP = "rg-test";
export const LOCATION = "westus";
const GROUP_ID = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}`;
export const SUBNET_ID = `${GROUP_ID}/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes`;

/** A simulated Azure in virtual time, with the official SDKs connected to it in-process. */
export interface Cloud {
  readonly azure: Azure;
  readonly scheduler: Scheduler;
  readonly compute: ComputeManagementClient;
  readonly network: NetworkManagementClient;
  readonly containerService: ContainerServiceClient;
  readonly resources: ResourceManagementClient;
  /** Sends a request as it is and returns what came back. */
  send(method: string, path: string, options?: SendOptions): Promise<Received>;
}

/** A raw request besides method and path. */
interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly principal?: Principal;
}

/** A raw answer. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Starts a cloud; its time advances only when the test advances it. */
export function startCloud(options: Partial<AzureOptions> = {}): Cloud {
  const scheduler = new Scheduler({ seed: "test" });
  const env = options.env ?? new VirtualProcess(scheduler, "azure");
  const azure = createAzure({ clock: new AdjustableClock(env.clock), seed: "test", ...options, env });
  const client = {
    httpClient: inProcess(azure),
    retryOptions: { maxRetries: 0 },
  };
  // The SDK compares expiries with the machine's clock, so the token must not expire for it.
  const credential = {
    getToken: () =>
      Promise.resolve({ token: azure.issueToken().token, expiresOnTimestamp: Number.MAX_SAFE_INTEGER }),
  };
  return {
    azure,
    scheduler,
    compute: new ComputeManagementClient(credential, DEFAULT_SUBSCRIPTION, client),
    network: new NetworkManagementClient(credential, DEFAULT_SUBSCRIPTION, client),
    containerService: new ContainerServiceClient(credential, DEFAULT_SUBSCRIPTION, client),
    resources: new ResourceManagementClient(credential, DEFAULT_SUBSCRIPTION, client),
    send: (method, path, given = {}) => send(azure, { method, path, ...given }),
  };
}

/** Azure's own pipeline, with the simulator in the place of the network. Each request has a new token, without regard to the SDK's cache. */
function inProcess(azure: Azure): HttpClient {
  return {
    sendRequest: async (request) => {
      const url = new URL(request.url);
      const headers: Record<string, string> = {};
      for (const [name, value] of request.headers) headers[name.toLowerCase()] = value;
      headers["authorization"] = `Bearer ${azure.issueToken().token}`;
      const { body } = request;
      const answer = await azure.handle({
        method: request.method,
        path: `${url.pathname}${url.search}`,
        headers,
        ...(typeof body === "string" && { body }),
      });
      const bodyAsText = await answer.text();
      return { request, status: answer.status, headers: createHttpHeaders(answer.headers), bodyAsText };
    },
  };
}

async function send(
  azure: Azure,
  request: SendOptions & { method: string; path: string },
): Promise<Received> {
  const { method, path, body, headers, principal } = request;
  const { token } = azure.issueToken(principal);
  const answer = await azure.handle({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** A promise of the SDK. */
interface Poller<T> {
  submitted(): Promise<void>;
  poll(): Promise<unknown>;
  readonly isDone: boolean;
  readonly result: T | undefined;
}

// No simulated operation takes longer than a day.
const MAX_POLLS = 2000;

/** Runs an operation of the SDK to its end: polls, and advances time in between. */
export async function finish<T>(cloud: Cloud, poller: Poller<T>): Promise<T> {
  await poller.submitted();
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    await poller.poll();
    if (poller.isDone) return poller.result as T;
    await cloud.scheduler.advance(10_000);
  }
  throw new Error("the operation never ends");
}

/** A group with a network in it. */
export async function withNetwork(cloud: Cloud): Promise<void> {
  await cloud.resources.resourceGroups.createOrUpdate(GROUP, { location: LOCATION });
  await finish(
    cloud,
    cloud.network.virtualNetworks.createOrUpdate(GROUP, "net", {
      location: LOCATION,
      addressSpace: { addressPrefixes: ["10.0.0.0/8"] },
      subnets: [{ name: "nodes", addressPrefix: "10.1.0.0/16" }],
    }),
  );
}

/** A valid scale set. */
export function scaleSet(
  capacity: number,
  change: Partial<VirtualMachineScaleSet> = {},
): VirtualMachineScaleSet {
  return {
    location: LOCATION,
    sku: { name: "Standard_D2s_v3", capacity },
    upgradePolicy: { mode: "Manual" },
    overprovision: false,
    virtualMachineProfile: {
      osProfile: { computerNamePrefix: "pool", adminUsername: "capi", customData: "c2VjcmV0" },
      storageProfile: {
        imageReference: {
          publisher: "Canonical",
          offer: "0001-com-ubuntu-server-jammy",
          sku: "22_04-lts-gen2",
          version: "latest",
        },
      },
      networkProfile: {
        networkInterfaceConfigurations: [
          {
            name: "pool-nic-0",
            primary: true,
            ipConfigurations: [{ name: "ipConfig0", subnet: { id: SUBNET_ID } }],
          },
        ],
      },
    },
    ...change,
  };
}

/** A cloud with a settled scale set of that size. */
export async function withScaleSet(
  cloud: Cloud,
  capacity: number,
  change: Partial<VirtualMachineScaleSet> = {},
): Promise<void> {
  await withNetwork(cloud);
  await finish(
    cloud,
    cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(capacity, change)),
  );
}

/** Everything that a list of the SDK gives. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
